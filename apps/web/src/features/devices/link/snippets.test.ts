import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type ConnectFacts, SNIPPETS, shellQuote, snippet } from './snippets.ts'

const facts: ConnectFacts = {
  host: '10.0.0.5',
  mqttPort: 1883,
  httpUrl: 'http://10.0.0.5:8080/device/',
  username: 'pk1/dev:1',
  topicPrefix: 'things/pk1/dev:1/',
  secret: "s'ec ret",
  payload: '{"name":"it\'s $HOME"}',
  productKey: 'pk1',
  deviceNo: 'dev:1',
}

describe('snippets', () => {
  it('carry address, name, secret and topic in every language', () => {
    for (const name of SNIPPETS.filter(each => each !== 'curl')) {
      const text = snippet(name, facts)
      expect(text).toContain('10.0.0.5')
      expect(text).toContain('pk1/dev:1')
      expect(text).toMatch(/property\/post/)
    }
    expect(snippet('curl', facts)).toContain('http://10.0.0.5:8080/device/v1/pk1/dev%3A1/property')
  })

  it('reach the shell unchanged, quotes and dollars included', () => {
    for (const word of [facts.secret, facts.payload, 'plain', '', 'a\nb', '`id`', '\\'])
      expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(word)}`]).toString()).toBe(word)
  })
})
