import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

describe('configuration', () => {
  it('has the documented defaults', () => {
    const config = readConfig({}, false)
    expect(config).toMatchObject({
      host: '127.0.0.1',
      http: { port: 8080, explicit: false },
      mqtt: { port: 1883 },
      mqtts: { port: 8883 },
      demo: true,
      devFlag: false,
      trustProxy: 0,
      logFormat: 'json',
      logLevel: 'info',
    })
    expect([...config.roles].sort()).toEqual(['api', 'ingest', 'worker'])
  })

  it('has no demo on an external database', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://u:p@localhost/x' }, false).demo).toBe(false)
  })

  it.each([
    ['HTTP_PORT', 'abc'],
    ['HTTP_PORT', '65536'],
    ['MQTT_PORT', '-1'],
    ['MQTTS_PORT', '1e3'],
    ['DEMO', 'yes'],
    ['DEV_FLAG', 'true'],
    ['ROLES', 'api,web'],
    ['ROLES', 'api'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'nonsense'],
    ['PUBLIC_URL', 'ftp://x'],
    ['SECRET_KEY', 'short'],
    ['ADMIN_PASSWORD', 'short'],
    ['TRUST_PROXY', 'all'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['HOST', 'a b'],
    ['TLS_CERT', '/x.pem'],
    ['NATS_URL', 'nats://x'],
    ['TCP_PORT', '6001'],
    ['LLM_MODEL', 'm'],
  ])('refuses %s=%s with one line that names it', (variable, value) => {
    expect(() => readConfig({ [variable]: value }, false)).toThrowError(ConfigError)
    try {
      readConfig({ [variable]: value }, false)
    } catch (error) {
      const message = (error as Error).message
      expect(message).not.toContain('\n')
      expect(message).toMatch(variable === 'TLS_CERT' ? /TLS_KEY/ : new RegExp(`^${variable}`))
    }
  })

  it('does not repeat a password in an error', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://user:hunter22@host/x' }, false)).toThrowError(/^(?!.*hunter22)/)
  })
})
