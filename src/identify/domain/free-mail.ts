import providers from 'email-providers/all.json' with { type: 'json' };

/**
 * Whether a mail provider gives mailboxes at this host to the public, so that an e-mail address
 * there names no company. It is for e-mail addresses only: the domain gmail.com is a company.
 */
export function isFreeMail(host: string, domain: string): boolean {
  if (companies.has(domain) || publicInstitution.test(domain)) return false;
  const name = domain.slice(0, domain.indexOf('.'));
  return webmailNames.has(name) || isProvider(domain) || isProvider(host);
}

function isProvider(host: string): boolean {
  return listed.has(host) || customerMail.has(host);
}

const listed = new Set<string>(providers);

/** Webmail under the domain of any country: yahoo.com.au, hotmail.fr, gmail.co. */
const webmailNames = new Set([
  ...['gmail', 'googlemail', 'yahoo', 'ymail', 'rocketmail', 'hotmail', 'icloud', 'protonmail'],
  ...['yahoomail', 'tutanota', 'rediffmail', 'fastmail'],
]);

/** Providers of mail to the public or to their own customers that the package lacks. */
const customerMail = new Set([
  ...['tuta.io', 'tuta.com', 'tutamail.com', 'duck.com', 'hey.com', 'zohomail.com', 'posteo.de'],
  ...['zohomail.com.au', 'pm.me', 'riseup.net', 'privaterelay.appleid.com', 'passmail.net'],
  ...['outlook.com', 'live.com', 'msn.com', 'me.com', 'mac.com', 'aol.com', 'gmx.com', 'mail.com'],
  // Australia and New Zealand
  ...['bigpond.com', 'bigpond.net.au', 'bigpond.com.au', 'optusnet.com.au', 'iinet.net.au'],
  ...['internode.on.net', 'westnet.com.au', 'aapt.net.au', 'adam.com.au', 'ozemail.com.au'],
  ...['dodo.com.au', 'netspace.net.au', 'iprimus.com.au', 'tpgi.com.au', 'exemail.com.au'],
  ...['people.net.au', 'aanet.com.au', 'spin.net.au', 'chariot.net.au', 'bordernet.com.au'],
  ...['xtra.co.nz', 'slingshot.co.nz', 'orcon.net.nz', 'clear.net.nz', 'paradise.net.nz'],
  ...['ihug.co.nz', 'inspire.net.nz', 'actrix.co.nz', 'vodafone.co.nz'],
  // Other countries that the service covers
  ...['pacific.net.sg', 'starhub.net.sg', 'singnet.com.sg', 'streamyx.com', 'tm.net.my'],
  ...['netvigator.com', 'nifty.com', 'biglobe.ne.jp', 'ocn.ne.jp', 'so-net.ne.jp', 'plala.or.jp'],
  ...['i.softbank.jp', 'docomo.ne.jp', 'ezweb.ne.jp', 'hanmail.net', 'naver.com'],
  ...[
    'daum.net',
    'kakao.com',
    'nate.com',
    'comcast.net',
    'verizon.net',
    'sbcglobal.net',
    'att.net',
  ],
  ...['bellsouth.net', 'cox.net', 'charter.net', 'shaw.ca', 'sympatico.ca', 'videotron.ca'],
]);

/** Companies that the package lists as providers, though their staff write from these domains. */
const companies = new Set([
  ...['telstra.com', 'tpg.com.au', 'singpost.com', 'saudia.com', 'alibaba.com', 'facebook.com'],
  ...['ancestry.com', 'discovery.com', 'medscape.com', 'globo.com', 'sky.com', 'bt.com', 'law.com'],
  ...['rogers.com', 'frontier.com', 'oath.com', 'parrot.com', 'aver.com', 'name.com', 'space.com'],
  ...['easypost.com', 'dnsmadeeasy.com', 'looksmart.com', 'looksmart.com.au', 'techspot.com'],
  ...['geek.com', 'swissinfo.org', 'theglobe.com', 'poste.it', 'virgin.net', 'virginmedia.com'],
  // Domains of examples and tests: rejecting them as free mail would confuse.
  ...['example.com', 'example.net', 'example.org', 'test.com', 'yourdomain.com', 'mydomain.com'],
]);

const publicInstitution = /\.(?:edu|gov)(?:\.[a-z]{2})?$|\.ac\.[a-z]{2}$/;
