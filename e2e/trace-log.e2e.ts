import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request as upgrade } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from './fixtures/arrange.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'

// Everything that makes a code, a link, a token or a secret, with the most talkative log there is.
const SECRET_KEY = 'a secret key of the talkative server, long enough'
const LETTERS = 'HKMPT'
const PHONE = '13800001111'
const MAIL = 'owner@talkative.example'

describe('the log at its most talkative', () => {
  let server: RunningServer
  /** What must stand nowhere in it, with where it comes from. */
  const secrets = new Map<string, string>()
  const keep = (what: string, value: string | undefined): string => {
    expect(value, what).toMatch(/\S{6,}/)
    secrets.set(what, value!)
    return value!
  }

  beforeAll(async () => {
    server = await startServer({ env: { SECRET_KEY, LOG_LEVEL: 'trace' }, keep: true })
  })
  afterAll(() => server?.stop())

  async function request(method: string, path: string, options: { token?: string; body?: unknown; raw?: string } = {}) {
    const reply = await fetch(server.url + path, {
      method,
      redirect: 'manual',
      headers: {
        connection: 'close',
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(options.body === undefined && options.raw === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(options.raw === undefined
        ? options.body === undefined
          ? {}
          : { body: JSON.stringify(options.body) }
        : { body: options.raw }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, text, json: () => JSON.parse(text) }
  }
  const token = (form: Record<string, string>) =>
    fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form),
    })
  /** A captcha that is known: only whoever holds the installation's key can make one. */
  function captcha() {
    const key = Buffer.from(hkdfSync('sha256', SECRET_KEY, '', 'thingwright:captcha', 32))
    const [id, expires] = [randomUUID(), Date.now() + 240_000]
    const mac = createHmac('sha256', key).update(`${id}.${expires}.${LETTERS}`).digest('base64url')
    return { captchaId: `${id}.${expires}.${mac}`, captcha: LETTERS }
  }
  async function messageTo(kind: 'sms' | 'mail', address: string): Promise<string> {
    let text: string | undefined
    await expect
      .poll(() => {
        const path = join(server.dataDir, 'outbox', `${kind}.ndjson`)
        const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
        text = lines.map(line => JSON.parse(line)).find(each => (each.phone ?? each.to) === address)?.text
        return text
      })
      .toBeDefined()
    return text!
  }

  it('says nothing with which somebody could sign in, follow a link or read a key', async () => {
    // Sign-in, also with a wrong password, and what a browser keeps.
    const wrong = keep('wrong password', `Wrong-${randomBytes(6).toString('hex')}`)
    await token({ grant_type: 'password', username: 'admin', password: wrong })
    const signedIn = await token({ grant_type: 'password', username: 'admin', password: PASSWORD })
    const access = keep('access token', ((await signedIn.json()) as { access_token: string }).access_token)
    keep('refresh cookie', /tw_refresh=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1])
    keep('password', PASSWORD)
    const api = async (method: string, path: string, body?: unknown) => {
      const reply = await request(method, `/api/v1${path}`, { token: access, body })
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300)
      return reply.json()
    }
    await withDatabase(server, db =>
      db.query(`update logins set phone = $1, email = $2 where username = 'admin'`, [PHONE, MAIL]),
    )

    // Codes and links that are sent.
    await request('POST', '/oauth/sms-code', { body: { phone: PHONE, purpose: 'sign_in', ...captcha() } })
    keep('SMS code', /\d{6}/.exec(await messageTo('sms', PHONE))?.[0])
    await request('POST', '/oauth/reset-link', { body: { email: MAIL, ...captcha() } })
    const link = /https?:\/\/\S+/.exec(await messageTo('mail', MAIL))![0]
    keep('reset link', link)
    keep('token of the reset link', /[A-Za-z0-9_-]{16,}$/.exec(link)?.[0])
    await api('POST', '/security/proof', { method: 'password', password: PASSWORD })
    const { items } = await api('GET', '/roles?limit=100')
    await api('POST', '/members/invitations', { address: 'new@talkative.example', roleIds: [items[1].id] })
    const invitation = /https?:\/\/\S+/.exec(await messageTo('mail', 'new@talkative.example'))![0]
    keep('token of the invitation', /[A-Za-z0-9_-]{16,}$/.exec(invitation)?.[0])
    await api('POST', '/me/email/code', { email: 'next@talkative.example' })
    keep('code to a new mail address', /\d{6}/.exec(await messageTo('mail', 'next@talkative.example'))?.[0])
    // Opened, as a browser opens them, and handed in.
    await request('GET', new URL(link).pathname + new URL(link).search)
    await request('POST', '/oauth/invitation', { body: { token: secrets.get('token of the invitation') } })

    // Keys and secrets that are made.
    keep('secret of the authenticator app', (await api('POST', '/security/totp', {})).secret)
    keep('API key', (await api('POST', '/api-keys', { name: 'k', scopes: ['device:read'] })).key)
    const product = await api('POST', '/products', { name: 'Pump', linkType: 'mqtt' })
    const device = await api('POST', '/devices', { productId: product.id, name: 'pump', deviceNo: 'pump' })
    const secret = keep('device secret', device.secret ?? device.deviceSecret)
    const accessToken = keep(
      'access token of a device',
      (await api('POST', `/devices/${device.id}/access-token`, {})).accessToken,
    )
    const made = await api('POST', '/subscriptions', {
      name: 's',
      kinds: ['property'],
      target: {
        kind: 'webhook',
        url: 'https://receiver.example/in',
        headers: { 'X-Key': keep('header of a receiver', randomBytes(12).toString('hex')) },
      },
    })
    keep('key of a webhook', made.credentials.secret)
    await api('POST', '/company/export', {
      materials: false,
      telemetryDays: 0,
      passphrase: keep('passphrase of an export', `Passphrase ${randomBytes(8).toString('hex')}`),
    })

    // Devices, rightly and wrongly.
    const guess = keep('wrong device secret', randomBytes(16).toString('hex'))
    for (const bearer of [secret, guess])
      await request('POST', `/device/v1/${product.productKey}/pump/property`, { token: bearer, body: { a: 1 } })
    await request('POST', `/device/v1/${product.productKey}/pump/property?token=${guess}`, { body: { a: 1 } })
    await request('POST', `/api/v1/${accessToken}/telemetry`, { body: { a: 1 } })
    for (const [username, password] of [
      [`${product.productKey}/pump`, secret],
      [`${product.productKey}/pump`, guess],
      [accessToken, ''],
      [guess, guess],
    ])
      await mqttConnect(server.mqttPort, username!, password!)
    await rawLine(server.ports.tcp!, `${product.productKey}/pump/${secret}\r\n`)
    await rawLine(server.ports.tcp!, `${product.productKey}/pump/${guess}\r\n`)

    // What stands in addresses, headers and bodies that are refused.
    const stray = (what: string) => keep(what, randomBytes(12).toString('hex'))
    await request(
      'GET',
      `/oauth/oidc/callback?code=${stray('code of a provider')}&state=${stray('state of a provider')}`,
    )
    await request('GET', `/api/v1/firmware-downloads/${stray('ticket of a download')}`)
    await request('GET', `/api/v1/nothing?token=${stray('token in an address')}`)
    await request('GET', `/api/v1/devices?cursor=${stray('cursor')}`, { token: access })
    await request('GET', '/api/v1/devices', { token: stray('wrong token') })
    await request('GET', `/api/v1/assistant/chat?chatId=${randomUUID()}&input=${stray('question')}`, { token: access })
    await request('POST', '/oauth/register', { raw: `{"password": "${stray('password in broken JSON')}", ` })
    await request('POST', '/oauth/reset-password', {
      body: { token: stray('wrong reset token'), password: stray('new password') },
    })
    await request('PATCH', '/api/v1/me', { token: access, body: { password: stray('unknown field') } })
    await liveAuth(stray('token on the live socket'))
    await liveAuth(access)

    await server.stop()
    const log = server.output()
    expect(log).toContain('simulated SMS')
    // A code of six digits may stand inside a time by chance.
    const stands = (value: string) =>
      /^\d+$/.test(value) ? new RegExp(`(?<!\\d)${value}(?!\\d)`).test(log) : log.includes(value)
    const found = [...secrets].filter(([, value]) => stands(value)).map(([what]) => what)
    expect(found).toEqual([])
    // They are where they belong, readable by nobody else.
    for (const name of readdirSync(join(server.dataDir, 'outbox')))
      expect(statSync(join(server.dataDir, 'outbox', name)).mode & 0o077, name).toBe(0)
  })

  /** MQTT 3.1.1 CONNECT; ends with whatever is answered. */
  function mqttConnect(port: number, username: string, password: string): Promise<void> {
    const field = (text: string) =>
      Buffer.concat([Buffer.from([text.length >> 8, text.length & 255]), Buffer.from(text)])
    const body = Buffer.concat([
      field('MQTT'),
      Buffer.from([4, 0b1100_0010, 0, 60]),
      field('client'),
      field(username),
      field(password),
    ])
    const length = body.length < 128 ? [body.length] : [(body.length % 128) | 128, Math.floor(body.length / 128)]
    return rawLine(port, Buffer.concat([Buffer.from([0x10, ...length]), body]))
  }

  function rawLine(port: number, bytes: string | Buffer): Promise<void> {
    return new Promise(resolve => {
      const socket = connectTcp(port, '127.0.0.1', () => socket.write(bytes))
      const end = () => {
        socket.destroy()
        resolve()
      }
      socket.once('data', end).once('close', end).once('error', end).setTimeout(2_000, end)
    })
  }

  /** Says who it is on the live socket (RFC 6455, one masked frame); ends with whatever is answered. */
  function liveAuth(bearer: string): Promise<void> {
    const text = Buffer.from(JSON.stringify({ op: 'auth', token: bearer }))
    const frame = Buffer.concat([
      Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 255, 0, 0, 0, 0]),
      text,
    ])
    return new Promise((resolve, reject) => {
      const outgoing = upgrade(`${server.url}/api/v1/live`, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
      })
      outgoing.once('error', reject)
      outgoing.once('upgrade', (_response, socket) => {
        const end = () => {
          socket.destroy()
          resolve()
        }
        socket.once('data', end).once('close', end).once('error', end)
        socket.write(frame)
      })
      outgoing.end()
    })
  }
})
