import { describe, expect, it } from 'vitest'
import { KEPT_CHARS, maskedBody, maskedPath } from './masking.ts'

const KEY = `twk_abcd2345_${'x'.repeat(43)}`

describe('bodies in the log of calls', () => {
  it('keep what was said and lose what is secret, by name and by looks', () => {
    const body = {
      name: 'Pump 1',
      deviceSecret: 'aaaa',
      target: { url: 'https://me:pass@receiver.example/in', headers: { Authorization: 'Bearer abcdefghijk' } },
      items: [{ note: `use ${KEY} please`, accessToken: 'bbbb' }],
      pem: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
      text: 'eyJhbGciOiJI.eyJzdWIiOiIx.c2ln',
      params: { temperature: 21.5 },
    }
    for (const kept of [maskedBody(body)!, maskedBody(JSON.stringify(body))!]) {
      expect(JSON.parse(kept)).toMatchObject({
        name: 'Pump 1',
        deviceSecret: '***',
        target: { url: 'https://***@receiver.example/in', headers: { Authorization: '***' } },
        items: [{ note: 'use *** please', accessToken: '***' }],
        pem: '***',
        text: '***',
        params: { temperature: 21.5 },
      })
    }
  })

  it('tell the code of an error, which is no secret', () => {
    expect(maskedBody({ code: 'device.not_found' })).toBe('{"code":"device.not_found"}')
    expect(maskedBody({ code: '123456' })).toBe('{"code":"***"}')
  })

  it('are masked by their looks where they are no whole JSON', () => {
    const cut = `{"name":"Pump","deviceSecret":"aaaa","key":"bbbb","rest":"${'y'.repeat(300_000)}`
    const kept = maskedBody(cut)!
    expect(kept).toContain('"name":"Pump"')
    expect(kept).not.toMatch(/aaaa|bbbb/)
    expect(kept.length).toBeLessThanOrEqual(KEPT_CHARS)
    expect(maskedBody('grant_type=x&client_secret=aaaa&scope=y')).toBe('grant_type=x&client_secret=***&scope=y')
    expect(maskedBody('{"deviceSecret":"cut off in the mid')).not.toContain('cut off')
  })

  it('are nothing where nothing was sent', () => {
    expect([undefined, null, ''].map(maskedBody)).toEqual([null, null, null])
  })

  it('have addresses without tokens', () => {
    expect(maskedPath('/api/v1/devices?limit=5')).toBe('/api/v1/devices?limit=5')
    expect(maskedPath(`/api/v1/x?token=aaaa&q=${KEY}&limit=5`)).toBe('/api/v1/x?token=***&q=***&limit=5')
  })
})
