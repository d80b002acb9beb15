import { describe, expect, it } from 'vitest'
import { ownPage } from './own-page.ts'

describe('the page that calls', () => {
  it.each([
    ['https://iot.example.com', 'iot.example.com', 'https://iot.example.com', true],
    ['https://iot.example.com', '10.0.0.5:8080', 'https://iot.example.com/console', true],
    ['http://iot.example.com', 'iot.example.com', 'https://iot.example.com', false],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', 'https://iot.example.com', false],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', null, true],
    ['http://[::1]:8080', '[::1]:8080', null, true],
    ['http://localhost:8080', 'localhost:8080', null, true],
    ['http://localhost:9090', 'localhost:8080', null, false],
    ['http://evil.example:8080', 'evil.example:8080', null, false],
    ['http://127.0.0.1.evil.example', '127.0.0.1.evil.example', null, false],
    ['null', 'localhost:8080', null, false],
    ['file:///etc/passwd', '', null, false],
  ] as const)('%s at %s, public %s: %s', (origin, host, publicUrl, expected) => {
    expect(ownPage({ origin, host, publicUrl })).toBe(expected)
  })
})
