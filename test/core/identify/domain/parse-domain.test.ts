import { describe, expect, test } from 'vitest';
import { identifyCell } from '../../../../src/core/identify/identify-cell.ts';
import { hostOf } from '../../../../src/core/identify/parse-domain.ts';
import { outcome } from '../../../support/outcome.ts';

const acme = 'fqdn acme.com';

describe('addresses', () => {
  test.each([
    ['https://www.Acme.com:8080/about?x=1#y', acme],
    ['acme.com?utm_source=x', acme],
    ['http:acme.com', acme],
    ['http.//acme.com', acme],
    ['https://https//www.acme.com', acme],
    ['ftp://acme.com', acme],
    ['acme.com..', acme],
    ['.acme.com', acme],
    ['www2.acme.com', acme],
    ['acme。com', acme],
    ['acme%2ecom', acme],
    ['(acme.com)', acme],
    ['web:acme.com', acme],
    ['my_shop.acme.com', acme],
    ['MÜLLER.DE', 'fqdn xn--mller-kva.de'],
    ['i❤️.ws', 'fqdn xn--i-7iq.ws'],
    ['shop.acme.com.au', 'fqdn acme.com.au or shop.acme.com.au'],
    ['service.nsw.gov.au', 'fqdn nsw.gov.au or service.nsw.gov.au'],
    ['99designs.com', 'fqdn 99designs.com'],
    ['my_company.com', 'not_a_domain'],
    ['acme..com', 'not_a_domain'],
    ['acme.com:port', 'not_a_domain'],
    ['?x=1', 'not_a_domain'],
    ['/about', 'not_a_domain'],
    ['www.', 'not_a_domain'],
    ['www.acme', 'not_a_domain'],
    ['No.1', 'not_a_domain'],
    ['51824753556', 'not_a_domain'],
    ['file:///c:/acme.com', 'not_a_domain'],
    ['tel:+61299999999', 'not_a_domain'],
    ['xn--.com', 'not_a_domain'],
    [`${'a'.repeat(64)}.com`, 'not_a_domain'],
    ['report.pdf', 'unknown_tld'],
    ['acme.test', 'unknown_tld'],
    ['acme.onion', 'unknown_tld'],
    ['1.168.192.in-addr.arpa', 'unknown_tld'],
    ['acme.home.arpa', 'unknown_tld'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe(expected);
  });
});

describe('endings that companies share', () => {
  test.each([
    ['co.uk', 'public_suffix'],
    ['com', 'public_suffix'],
    ['www.com.au', 'public_suffix'],
    ['github.io', 'public_suffix'],
    ['www.blogspot.com', 'public_suffix'],
    // The host of a customer below a shared ending names one company, so it is kept whole.
    ['foo.github.io', 'fqdn foo.github.io'],
    ['bar.foo.github.io', 'fqdn foo.github.io or bar.foo.github.io'],
    ['acme.myshopify.com/products', 'fqdn acme.myshopify.com'],
    ['acme.weebly.com', 'fqdn acme.weebly.com'],
    ['acme.wordpress.com/about', 'fqdn acme.wordpress.com'],
    ['wordpress.com', 'fqdn wordpress.com'],
    ['acme.canva.site', 'fqdn acme.canva.site'],
    ['acme.my.canva.site', 'fqdn acme.my.canva.site'],
    ['acme.bsky.social', 'fqdn acme.bsky.social'],
    ['foo.blogspot.com', 'fqdn foo.blogspot.com'],
    ['foo.blogspot.com.au/2020/01', 'fqdn foo.blogspot.com.au'],
    ['foo.blogspot.sg', 'fqdn foo.blogspot.sg'],
    ['acme.etsy.com', 'fqdn acme.etsy.com'],
    ['jane@acme.onmicrosoft.com', 'fqdn acme.onmicrosoft.com'],
    ['blog.slack.com', 'fqdn slack.com or blog.slack.com'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe(expected);
  });
});

describe('IP addresses', () => {
  test.each([
    '192.168.1.1:80',
    'http://3232235777/',
    'http://0x7f000001',
    '0x7f.1',
    'http://1.5/',
    '[::1]',
    '::1',
    '2001:db8:0:0:0:0:0:1',
    'http://[2001:db8::1]:80/x',
    'jane@10.0.0.1',
  ])('%j is an IP address', (text) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe('ip_address');
  });

  test.each(['1.5', '12345', '256.1.1.1'])('%j is a number, not an IP address', (text) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe('not_a_domain');
  });
});

describe('platforms', () => {
  test.each([
    ['facebook.com', 'fqdn facebook.com'],
    ['https://facebook.com/?#', 'fqdn facebook.com'],
    ['https://www.facebook.com/#!/acme', 'platform_page'],
    ['facebook.com?id=123', 'platform_page'],
    ['discord.com/invite/acme', 'platform_page'],
    ['discord.com', 'fqdn discord.com'],
    ['pinterest.com.au/acme', 'platform_page'],
    ['pinterest.de/acme', 'platform_page'],
    ['au.pinterest.com/acme', 'platform_page'],
    ['wechat.com/acme', 'platform_page'],
    ['google.com.au', 'fqdn google.com.au'],
    ['m.facebook.com/acme', 'platform_page'],
    ['google.com.au/maps/place/acme', 'platform_page'],
    ['maps.app.goo.gl/abc', 'platform_page'],
    ['sites.google.com', 'platform_page'],
    ['x.com/acme', 'platform_page'],
    ['https://medium.com/@acme', 'platform_page'],
    ['lnkd.in/abc', 'platform_page'],
    // The target of a search engine's redirect is the address that was meant.
    ['https://www.google.com/url?q=https://acme.com/x&sa=D', acme],
    ['https://l.facebook.com/l.php?u=https%3A%2F%2Facme.com%2F&h=x', acme],
    ['https://www.google.com/url?q=https://facebook.com/acme', 'platform_page'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe(expected);
  });
});

describe('e-mail addresses', () => {
  test.each([
    ['"Jane Doe" <jane@acme.com>', acme],
    ['Jane <jane@acme.com>, Bob <bob@acme.com>', acme],
    ['jane@acme.com?subject=x', acme],
    ['@acme.com', acme],
    ['jane@mail.acme.com', 'fqdn acme.com or mail.acme.com'],
    ['jane@gmail.com, joe@gmail.com', 'freemail'],
    ['jane@acme.com; jane@gmail.com', 'multiple_values'],
    ['http://jane@acme.com', 'userinfo'],
    ['jane:secret@acme.com', 'userinfo'],
    ['jane@', 'not_a_domain'],
    ['jane@@acme.com', 'not_a_domain'],
    ['jane@acme', 'not_a_domain'],
    ['jane doe@acme.com', 'not_a_domain'],
    ['jane@acme.con', 'unknown_tld'],
    ['acme@com.au', 'public_suffix'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe(expected);
  });
});

describe('several values in a cell', () => {
  test.each([
    ['acme.com | acme.net', 'multiple_values'],
    ['acme.com and acme.net', 'multiple_values'],
    ['acme.com / acme.net', 'multiple_values'],
    ['acme.com\nacme.net', 'multiple_values'],
    ['acme.com (acme.net)', 'multiple_values'],
    ['acme.com, facebook.com/acme', 'multiple_values'],
    ['acme.com\nhttps://www.acme.com/', acme],
    ['acme.com or www.acme.com', acme],
    ['acme.com, n/a', acme],
    ['acme.com,', acme],
    ['acme.com (AU)', acme],
    // Words after a whole URL are its path or a remark; beside a bare domain they may be anything.
    ['https://acme.com/our team', acme],
    ['https://acme.com/a,b;c', acme],
    ['acme.com Sydney', 'not_a_domain'],
    ['Acme Pty Ltd acme.com', 'not_a_domain'],
    ['acme,com.au', 'not_a_domain'],
    ['facebook.com/a, instagram.com/a', 'platform_page'],
  ])('%j gives %s', (text, expected) => {
    expect(outcome(identifyCell(text, 'fqdn'))).toBe(expected);
  });
});

test.each([
  ['Shop.Acme.com.au/x', 'website https://acme.com.au/ or https://shop.acme.com.au/'],
  ['http://www.foo.github.io', 'website https://foo.github.io/'],
  ['facebook.com/acme', 'platform_page'],
  ['acme', 'not_a_domain'],
])('%j as a website gives %s', (text, expected) => {
  expect(outcome(identifyCell(text, 'website'))).toBe(expected);
});

test.each([
  ['https://user@www.Acme.example:8080/x', 'acme.example'],
  ['jane@ACME.example', 'acme.example'],
  ['Müller.example.', 'xn--mller-kva.example'],
  ['localhost:3000', 'localhost'],
  ['facebook.com/acme', 'facebook.com'],
  ['', null],
  ['acme pty ltd', null],
  ['file:///x', null],
])('the host of %j is %j, without any check of its domain', (text, host) => {
  expect(hostOf(text)).toBe(host);
});
