import assert from 'node:assert/strict';
import { readProviderAddress } from '../../src/extension/provider-address.ts';

const usable = (text: string) => {
  const address = readProviderAddress(text);
  assert.equal(address.kind, 'usable', text);
  return address;
};

describe('The address of a model provider', () => {
  it('takes a key where it is encrypted, or leads to this machine', () => {
    for (const text of [
      'https://api.openai.com/v1',
      'http://localhost:11434/v1',
      'http://127.0.0.1:1234/v1',
      'http://[::1]:8000/v1',
    ]) {
      const { takesKey, baseUrl } = usable(text);
      assert.deepEqual([takesKey, baseUrl], [true, text]);
    }
  });

  it('may lead into the own network without encryption, but takes no key there', () => {
    const address = usable(' http://gpu.lan:8000/v1/ ');
    assert.deepEqual(address, {
      kind: 'usable',
      baseUrl: 'http://gpu.lan:8000/v1',
      origin: 'http://gpu.lan:8000',
      takesKey: false,
    });
    for (const text of ['http://192.168.1.4/v1', 'HTTP://gpu.lan/v1', 'http://127.0.0.1.example.com/v1']) {
      assert.equal(usable(text).takesKey, false, text);
    }
  });

  it('keeps the path, without a slash at its end', () => {
    assert.equal(
      usable('https://models.example.com/team/v1//').baseUrl,
      'https://models.example.com/team/v1',
    );
  });

  for (const [text, why] of [
    ['https://ada:secret@models.example.com/v1', /user name and password/],
    ['http://ada:secret@gpu.lan/v1', /user name and password/],
    ['https://models.example.com/v1?key=secret', /\? or #/],
    ['http://gpu.lan/v1?key=secret', /\? or #/],
    ['https://models.example.com/v1#x', /\? or #/],
    ['ftp://models.example.com/v1', /https:/],
    ['file:///etc/passwd', /https:/],
    ['models.example.com/v1', /web address/],
    ['https://models.exam\nple.com/v1', /web address/],
    ['http://gpu.lan\\@evil.example/v1', /web address/],
    ['', /web address/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}, without its secret in the sentence`, () => {
      const address = readProviderAddress(text);
      assert.equal(address.kind, 'refused');
      assert.match(address.message, why);
      assert.doesNotMatch(address.message, /secret/);
    });
  }
});
