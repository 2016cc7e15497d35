/** Sites where a path is the page of a user. The bare domain is the company behind the site. */
const platforms = new Set([
  // Social and professional networks
  ...['linkedin.com', 'linkedin.cn', 'facebook.com', 'fb.com', 'fb.me', 'm.me', 'instagram.com'],
  ...['twitter.com', 'x.com', 'threads.net', 'threads.com', 'tiktok.com', 'youtube.com'],
  ...['youtu.be', 'vimeo.com', 'pin.it', 'snapchat.com'],
  ...['reddit.com', 'tumblr.com', 'flickr.com', 'medium.com', 'weibo.com', 'vk.com', 'xing.com'],
  ...[
    'wa.me',
    'whatsapp.com',
    't.me',
    'telegram.me',
    'line.me',
    'lin.ee',
    'discord.gg',
    'discord.com',
    'wechat.com',
  ],
  ...['bsky.app', 'soundcloud.com', 'spotify.com', 'meetup.com', 'patreon.com', 'behance.net'],
  // Short links and link lists
  ...['lnkd.in', 'bit.ly', 'bitly.com', 'tinyurl.com', 't.co', 'ow.ly', 'buff.ly', 'goo.gl'],
  ...['g.page', 'g.co', 'forms.gle', 'is.gd', 'cutt.ly', 'rb.gy', 't.ly', 'tiny.cc'],
  ...['rebrand.ly', 'shorturl.at', 'amzn.to', 'youtu.be', 'linktr.ee', 'about.me', 'bio.link'],
  ...['beacons.ai', 'carrd.co', 'calendly.com', 'lnk.bio', 'campsite.bio'],
  // Directories, marketplaces, reviews and job boards
  ...['yelp.com', 'yelp.com.au', 'tripadvisor.com', 'tripadvisor.com.au', 'yellowpages.com.au'],
  ...[
    'yellow.co.nz',
    'truelocal.com.au',
    'localsearch.com.au',
    'hotfrog.com.au',
    'oneflare.com.au',
  ],
  ...['whitepages.com.au', 'crunchbase.com', 'trustpilot.com', 'productreview.com.au', 'g2.com'],
  ...[
    'glassdoor.com',
    'glassdoor.com.au',
    'indeed.com',
    'seek.com.au',
    'seek.co.nz',
    'zoominfo.com',
  ],
  ...['ebay.com', 'ebay.com.au', 'etsy.com', 'gumtree.com.au', 'amazon.com', 'amazon.com.au'],
  ...['airbnb.com', 'airbnb.com.au', 'booking.com', 'ubereats.com', 'doordash.com'],
  ...['menulog.com.au', 'eventbrite.com', 'eventbrite.com.au', 'alibaba.com', 'shopee.sg'],
  ...['lazada.sg', 'carousell.sg', 'grab.com', 'gofundme.com', 'ko-fi.com', 'hipages.com.au'],
  // Shared code, files and knowledge
  ...['github.com', 'gitlab.com', 'bitbucket.org', 'wikipedia.org', 'dropbox.com', 'notion.so'],
  ...['docs.com', 'canva.com', 'issuu.com', 'slideshare.net', 'scribd.com', 'archive.org'],
]);

/** Platforms with a domain for each country: google.com, google.com.au, pinterest.de. */
const platformInEachCountry = /^(?:google|pinterest)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** Hosts of a platform that hold only pages of users, with or without a path. */
const pageHosts = new Set([
  ...['sites.google.com', 'docs.google.com', 'drive.google.com', 'maps.google.com'],
  ...['business.google.com', 'plus.google.com', 'play.google.com', 'apps.apple.com'],
  ...['itunes.apple.com', 'maps.apple.com', 'maps.app.goo.gl', 'blog.naver.com', 'l.facebook.com'],
]);

/** Hosting services that give each customer a host and are not on the Public Suffix List. */
const hostingDomains = new Set([
  ...['wordpress.com', 'weebly.com', 'wix.com', 'squarespace.com', 'tumblr.com', 'substack.com'],
  ...['medium.com', 'business.site', 'godaddysites.com', 'jimdosite.com', 'jimdofree.com'],
  ...['webnode.com', 'yolasite.com', 'mystrikingly.com', 'bigcartel.com', 'bandcamp.com'],
  ...['typepad.com', 'livejournal.com', 'carrd.co', 'ueniweb.com', 'site123.me', 'zohosites.com'],
  ...['etsy.com', 'gumroad.com', 'teachable.com', 'thinkific.com', 'mykajabi.com', 'podbean.com'],
  ...['zendesk.com', 'freshdesk.com', 'atlassian.net', 'slack.com', 'sharepoint.com'],
  ...[
    'onmicrosoft.com',
    'force.com',
    'typeform.com',
    'setmore.com',
    'simplybook.me',
    'canva.site',
    'bsky.social',
  ],
]);

/** Only blogspot.com is on the Public Suffix List, not blogspot.com.au, blogspot.de and so on. */
const blogspot = /^blogspot\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** Subdomains that belong to the hosting service itself and to no customer. */
const ownHosts = new Set([
  ...[
    'www',
    'blog',
    'help',
    'support',
    'about',
    'status',
    'developers',
    'developer',
    'docs',
    'api',
  ],
  ...['app', 'careers', 'jobs', 'community', 'investors', 'news', 'press', 'learn', 'login', 'en'],
]);

export function isPlatformPage(host: string, domain: string, hasPath: boolean): boolean {
  if (pageHosts.has(host)) return true;
  if (!hasPath) return false;
  // On the host of a customer every path belongs to that customer.
  if (host !== domain && hostsCustomers(host, domain)) return false;
  return platforms.has(domain) || platformInEachCountry.test(domain);
}

/** Whether a host belongs to a customer of a hosting service: `acme.weebly.com` is Acme's. */
export function hostsCustomers(host: string, domain: string): boolean {
  const isHosting = hostingDomains.has(domain) || blogspot.test(domain);
  if (host === domain || !isHosting) return false;
  const subdomain = host.slice(0, -domain.length - 1);
  return !ownHosts.has(subdomain);
}
