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

  it('names a model where there is one, and none by itself', () => {
    expect(readConfig({}, false).llm).toBeNull()
    expect(readConfig({ LLM_BASE_URL: 'http://10.0.0.9:11434/v1/' }, false).llm).toEqual({
      baseUrl: 'http://10.0.0.9:11434/v1',
      apiKey: null,
      model: 'default',
    })
    const all = { LLM_BASE_URL: 'https://model.example/v1', LLM_API_KEY: 'k', LLM_MODEL: 'm' }
    expect(readConfig(all, false).llm).toEqual({ baseUrl: 'https://model.example/v1', apiKey: 'k', model: 'm' })
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
    ['TCP_PORT', '65536'],
    ['TCP_PORT_RANGE', '6199-6100'],
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

  it('reads where uploads go', () => {
    expect(readConfig({}, false).objectStore).toBeNull()
    expect(
      readConfig({ OBJECT_STORE_URL: 's3://k%2B:s%2F%40x@store.lan:9000/uploads?tls=0' }, false).objectStore,
    ).toEqual({
      endpoint: 'http://store.lan:9000',
      bucket: 'uploads',
      region: 'us-east-1',
      accessKey: 'k+',
      secretKey: 's/@x',
      addressing: 'path',
    })
    const oss = 's3://k:s@oss-cn-hangzhou.aliyuncs.com/tw.files?region=cn-hangzhou&style=host'
    expect(readConfig({ OBJECT_STORE_URL: oss }, false).objectStore).toMatchObject({
      endpoint: 'https://oss-cn-hangzhou.aliyuncs.com',
      region: 'cn-hangzhou',
      addressing: 'host',
    })
  })

  it.each([
    ['nonsense', 'not a URL'],
    ['https://k:hunter22@h/bucket', 'got https:'],
    ['s3://k:hunter22@/bucket', ''],
    ['s3://h/bucket', 'no key and secret'],
    ['s3://k@h/bucket', 'no key and secret'],
    ['s3://k:hunter22@h', 'bucket'],
    ['s3://k:hunter22@h/Bucket_1', 'bucket'],
    ['s3://k:hunter22@h/a/b', 'bucket'],
    ['s3://k:hunter22@h/bucket?tls=yes', 'tls'],
    ['s3://k:hunter22@h/bucket?style=x', 'style'],
    ['s3://k:hunter22@h/bucket?acl=public', 'acl'],
    ['s3://k:hunter22%zz@h/bucket', 'percent'],
  ])('refuses OBJECT_STORE_URL=%s without repeating the secret', (value, says) => {
    const read = () => readConfig({ OBJECT_STORE_URL: value }, false)
    expect(read).toThrowError(ConfigError)
    expect(read).toThrowError(new RegExp(`^OBJECT_STORE_URL: (?!.*hunter22).*${says}`))
  })

  it('does not repeat a password in an error', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://user:hunter22@host/x' }, false)).toThrowError(/^(?!.*hunter22)/)
  })

  it('reads a mail server with its sender', () => {
    const env = { MAIL_URL: 'smtp://no-reply%40acme.cn:p%2Fw@mail.acme.cn:587', MAIL_FROM: '物匠云 <no-reply@acme.cn>' }
    expect(readConfig(env, false).mail).toEqual({ url: env.MAIL_URL, from: env.MAIL_FROM })
    expect(readConfig({}, false).mail).toBeNull()
  })

  it.each([
    ['nonsense', 'a@b.cn', 'MAIL_URL: not a URL'],
    ['https://u:hunter22@h', 'a@b.cn', 'MAIL_URL: got https:'],
    ['smtp://u:hunter22%zz@h', 'a@b.cn', 'MAIL_URL: user or password'],
    ['smtp://u:hunter22@h?verify=0', 'a@b.cn', 'MAIL_URL: unknown setting'],
    ['smtp://u:hunter22@h', '', 'MAIL_FROM: missing'],
    ['smtp://u:hunter22@h', 'nobody', 'MAIL_FROM: got'],
    ['smtp://u:hunter22@h', 'A <a@b.cn>\r\nBcc: c@d.cn', 'MAIL_FROM: got'],
    ['', 'a@b.cn', 'MAIL_FROM: set without MAIL_URL'],
  ])('refuses MAIL_URL=%s with MAIL_FROM=%s', (url, from, says) => {
    const read = () => readConfig({ MAIL_URL: url, MAIL_FROM: from }, false)
    expect(read).toThrowError(ConfigError)
    expect(read).toThrowError(new RegExp(`^${says}`))
    expect(read).toThrowError(/^(?!.*hunter22)/)
  })
})
