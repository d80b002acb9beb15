import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type MapTiles, readMapTiles } from './map-tiles.ts'

/** A variable that cannot be used: one line that names it, what it got and what it takes. */
export class ConfigError extends Error {}

export type Role = 'api' | 'ingest' | 'worker'

/** A port with the knowledge whether somebody asked for it: a busy port that was set ends the start. */
export interface PortSetting {
  variable: string
  port: number
  explicit: boolean
}

/** Where uploads go instead of the data folder. */
export interface ObjectStoreSettings {
  /** With scheme, without a path. */
  endpoint: string
  bucket: string
  region: string
  accessKey: string
  secretKey: string
  addressing: 'path' | 'host'
}

/** The mail server of the installation. */
export interface MailSettings {
  /** smtp://user:password@host:port or smtps://…; percent-encoded. */
  url: string
  /** `Name <address>` or an address. */
  from: string
}

/** A third-party platform at WeChat, and where WeChat is. */
export interface WechatPlatform {
  appId: string
  secret: string
  token: string
  aesKey: string
  baseUrl: string
  /** Where owners of mini-programs scan. */
  pageUrl: string
}

export interface Config {
  host: string
  http: PortSetting
  /** From HTTPS_PORT; null: TLS is somebody else's. */
  https: PortSetting | null
  mqtt: PortSetting
  mqtts: PortSetting
  tcp: PortSetting
  udp: PortSetting
  coap: PortSetting
  /** Ports that products may claim for themselves, both ends included. */
  tcpRange: { from: number; to: number }
  tls: { certFile: string; keyFile: string } | null
  dataDir: string
  databaseUrl: string | null
  /** From OBJECT_STORE_URL; null: the folder `uploads` in the data folder. */
  objectStore: ObjectStoreSettings | null
  /** From MAIL_URL and MAIL_FROM; null: mails are only shown and logged. */
  mail: MailSettings | null
  roles: ReadonlySet<Role>
  /** From SECRET_KEY; null: the key in DATA_DIR/keys. */
  secretKey: string | null
  demo: boolean
  adminPassword: string | null
  devFlag: boolean
  publicUrl: string | null
  /** CIDRs that outgoing requests may reach although they are internal. */
  outboundAllow: string[]
  /** From LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; null: the assistant has its built-in engine only. */
  llm: LlmSettings | null
  /** From WECHAT_PLATFORM and WECHAT_URL; null: no mini-program is published from here. */
  wechatPlatform: WechatPlatform | null
  /** From MAP_TILES and what belongs to it; null: maps are outlines of our own. */
  mapTiles: MapTiles | null
  trustProxy: number
  metricsToken: string | null
  logLevel: string
  logFormat: 'pretty' | 'json'
}

/** Variables that belong to areas this version does not have: refused rather than ignored. */
const LATER: Record<string, string> = {
  NATS_URL: 'more than one server process',
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const ROLES: readonly Role[] = ['api', 'ingest', 'worker']

function refuse(variable: string, got: string, takes: string): never {
  throw new ConfigError(`${variable}: got ${JSON.stringify(got)}, takes ${takes}`)
}

function port(env: NodeJS.ProcessEnv, variable: string, fallback: number): PortSetting {
  const text = env[variable]
  if (text === undefined || text === '') return { variable, port: fallback, explicit: false }
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    refuse(variable, text, 'a port number from 0 to 65535 (0: any free port)')
  return { variable, port: Number(text), explicit: true }
}

function portRange(env: NodeJS.ProcessEnv, variable: string, fallback: string): { from: number; to: number } {
  const text = env[variable] || fallback
  const [, from = 0, to = 0] = /^(\d{1,5})-(\d{1,5})$/.exec(text)?.map(Number) ?? []
  if (from < 1 || to < from || to > 65535) refuse(variable, text, 'two ports such as 6100-6199')
  return { from, to }
}

/** The model that answers for companies without one of their own. */
export interface LlmSettings {
  /** Without `/chat/completions`. */
  baseUrl: string
  apiKey: string | null
  /** `default` where none is named: servers of one model take any name. */
  model: string
}

function llm(env: NodeJS.ProcessEnv): LlmSettings | null {
  const baseUrl = url(env, 'LLM_BASE_URL', ['http:', 'https:'])
  if (baseUrl) return { baseUrl, apiKey: env.LLM_API_KEY || null, model: env.LLM_MODEL || 'default' }
  for (const variable of ['LLM_API_KEY', 'LLM_MODEL'])
    if (env[variable]) throw new ConfigError(`${variable}: is of no use without LLM_BASE_URL`)
  return null
}

function flag(env: NodeJS.ProcessEnv, variable: string, fallback: boolean): boolean {
  const text = env[variable]
  if (text === undefined || text === '') return fallback
  if (text !== '0' && text !== '1') refuse(variable, text, '0 or 1')
  return text === '1'
}

function word<const W extends string>(env: NodeJS.ProcessEnv, variable: string, words: readonly W[], fallback: W): W {
  const text = env[variable]
  if (text === undefined || text === '') return fallback
  if (!words.includes(text as W)) refuse(variable, text, words.join(', '))
  return text as W
}

function url(env: NodeJS.ProcessEnv, variable: string, protocols: string[]): string | null {
  const text = env[variable]
  if (!text) return null
  const takes = `a URL starting with ${protocols.map(p => `${p}//`).join(' or ')}`
  let parsed: URL
  try {
    parsed = new URL(text)
  } catch {
    // The value may hold a password: it is not repeated.
    throw new ConfigError(`${variable}: not a URL, takes ${takes}`)
  }
  if (!protocols.includes(parsed.protocol))
    throw new ConfigError(`${variable}: got ${parsed.protocol}//…, takes ${takes}`)
  return text.replace(/\/+$/, '')
}

/** `s3://key:secret@host[:port]/bucket?region=…&tls=0|1&style=path|host`; key and secret percent-encoded. */
function objectStore(env: NodeJS.ProcessEnv): ObjectStoreSettings | null {
  const text = env.OBJECT_STORE_URL
  if (!text) return null
  // The value holds a secret: it is not repeated.
  const wrong = (what: string) =>
    new ConfigError(
      `OBJECT_STORE_URL: ${what}, takes s3://key:secret@host[:port]/bucket?region=…&tls=0|1&style=path|host`,
    )
  if (!URL.canParse(text)) throw wrong('not a URL')
  const parsed = new URL(text)
  if (parsed.protocol !== 's3:') throw wrong(`got ${parsed.protocol}//…`)
  if (!parsed.hostname) throw wrong('no host')
  const bucket = parsed.pathname.replace(/^\/|\/$/g, '')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw wrong('no usable bucket name')
  const query = parsed.searchParams
  for (const name of query.keys())
    if (!['region', 'tls', 'style'].includes(name)) throw wrong(`unknown setting ${JSON.stringify(name)}`)
  const tls = query.get('tls') ?? '1'
  if (tls !== '0' && tls !== '1') throw wrong('tls is neither 0 nor 1')
  const addressing = query.get('style') ?? 'path'
  if (addressing !== 'path' && addressing !== 'host') throw wrong('style is neither path nor host')
  const region = query.get('region') || 'us-east-1'
  if (!/^[A-Za-z0-9-]{1,64}$/.test(region)) throw wrong('no usable region')
  let accessKey: string
  let secretKey: string
  try {
    accessKey = decodeURIComponent(parsed.username)
    secretKey = decodeURIComponent(parsed.password)
  } catch {
    throw wrong('key or secret is not percent-encoded')
  }
  if (!accessKey || !secretKey) throw wrong('no key and secret')
  return {
    endpoint: `http${tls === '1' ? 's' : ''}://${parsed.host}`,
    bucket,
    region,
    accessKey,
    secretKey,
    addressing,
  }
}

/** `smtp://user:password@host:port` or `smtps://…`, `?tls=0` for a server without encryption; needs MAIL_FROM. */
function mail(env: NodeJS.ProcessEnv): MailSettings | null {
  const text = env.MAIL_URL
  const from = env.MAIL_FROM?.trim()
  if (!text) {
    if (from) throw new ConfigError('MAIL_FROM: set without MAIL_URL, which takes smtp://user:password@host:port')
    return null
  }
  // The value holds a password: it is not repeated.
  const wrong = (what: string) =>
    new ConfigError(`MAIL_URL: ${what}, takes smtp://user:password@host:port or smtps://…`)
  if (!URL.canParse(text)) throw wrong('not a URL')
  const parsed = new URL(text)
  if (parsed.protocol !== 'smtp:' && parsed.protocol !== 'smtps:') throw wrong(`got ${parsed.protocol}//…`)
  if (!parsed.hostname) throw wrong('no host')
  for (const name of parsed.searchParams.keys())
    if (name !== 'tls') throw wrong(`unknown setting ${JSON.stringify(name)}`)
  try {
    decodeURIComponent(parsed.username + parsed.password)
  } catch {
    throw wrong('user or password is not percent-encoded')
  }
  if (!from)
    throw new ConfigError(
      'MAIL_FROM: missing; with MAIL_URL it takes the sender, e.g. Thingwright <no-reply@example.com>',
    )
  if (!/^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from))
    refuse('MAIL_FROM', from, 'a mail address, or Name <address>')
  return { url: text, from }
}

/** Addresses and networks, comma separated. */
function networks(env: NodeJS.ProcessEnv, variable: string): string[] {
  const parts = (env[variable] ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  for (const part of parts) {
    const [address = '', bits, rest] = part.split('/')
    const kind = isIP(address)
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
    if (kind === 0 || rest !== undefined || !fits)
      refuse(variable, part, 'a comma list of addresses and networks, such as 10.0.0.0/8,192.0.2.7')
  }
  return parts
}

/** `appid,secret,token,EncodingAESKey` of the third-party platform at WeChat. */
function wechatPlatform(env: NodeJS.ProcessEnv): WechatPlatform | null {
  const text = env.WECHAT_PLATFORM
  const baseUrl = url(env, 'WECHAT_URL', ['http:', 'https:'])
  if (!text) return null
  const parts = /^(wx[0-9A-Za-z]{16}),([0-9A-Za-z]{16,64}),([0-9A-Za-z]{3,32}),([0-9A-Za-z]{43})$/.exec(text)
  if (!parts)
    throw new ConfigError(
      'WECHAT_PLATFORM: takes appid,secret,token,EncodingAESKey of the third-party platform at WeChat',
    )
  const [, appId = '', secret = '', token = '', aesKey = ''] = parts
  return {
    appId,
    secret,
    token,
    aesKey,
    baseUrl: baseUrl ?? 'https://api.weixin.qq.com',
    pageUrl: baseUrl ?? 'https://mp.weixin.qq.com',
  }
}

function roles(env: NodeJS.ProcessEnv): ReadonlySet<Role> {
  const text = env.ROLES
  if (!text || text === 'all') return new Set(ROLES)
  const parts = text.split(',').map(part => part.trim())
  for (const part of parts)
    if (!ROLES.includes(part as Role)) refuse('ROLES', text, 'all, or a comma list of api, ingest, worker')
  if (parts.length !== ROLES.length)
    throw new ConfigError(
      `ROLES: got ${JSON.stringify(text)}, but roles can be split only with NATS_URL, which this version does not have; takes all`,
    )
  return new Set(parts as Role[])
}

/**
 * Reads and checks every variable of interfaces.md §2.
 * @param env the environment, handed in so that tests need not change their own
 * @throws ConfigError with one printable line
 */
export function readConfig(env: NodeJS.ProcessEnv, isTerminal: boolean): Config {
  for (const [variable, area] of Object.entries(LATER)) {
    if (env[variable]) throw new ConfigError(`${variable}: this version has no ${area} yet; unset it`)
  }
  const host = env.HOST || '127.0.0.1'
  if (!/^[0-9A-Za-z.:_-]{1,255}$/.test(host)) refuse('HOST', host, 'an address or host name to listen on')
  const certFile = env.TLS_CERT
  const keyFile = env.TLS_KEY
  if (Boolean(certFile) !== Boolean(keyFile))
    throw new ConfigError(
      `${certFile ? 'TLS_KEY' : 'TLS_CERT'}: missing; TLS_CERT and TLS_KEY take one PEM file each, together`,
    )
  const databaseUrl = url(env, 'DATABASE_URL', ['postgres:', 'postgresql:'])
  const secretKey = env.SECRET_KEY || null
  if (secretKey && secretKey.length < 32)
    throw new ConfigError(`SECRET_KEY: got ${secretKey.length} characters, takes at least 32`)
  const adminPassword = env.ADMIN_PASSWORD || null
  if (adminPassword && (adminPassword.length < 8 || adminPassword.length > 128))
    throw new ConfigError(`ADMIN_PASSWORD: got ${adminPassword.length} characters, takes 8 to 128`)
  const proxies = env.TRUST_PROXY || '0'
  if (!/^\d{1,2}$/.test(proxies)) refuse('TRUST_PROXY', proxies, 'the number of proxies in front, 0 to 99')
  return {
    host,
    http: port(env, 'HTTP_PORT', 8080),
    https: env.HTTPS_PORT ? port(env, 'HTTPS_PORT', 8443) : null,
    mqtt: port(env, 'MQTT_PORT', 1883),
    mqtts: port(env, 'MQTTS_PORT', 8883),
    tcp: port(env, 'TCP_PORT', 6001),
    udp: port(env, 'UDP_PORT', 6001),
    coap: port(env, 'COAP_PORT', 5683),
    tcpRange: portRange(env, 'TCP_PORT_RANGE', '6100-6199'),
    tls: certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : null,
    dataDir: resolve(env.DATA_DIR || 'data'),
    databaseUrl,
    objectStore: objectStore(env),
    mail: mail(env),
    roles: roles(env),
    secretKey,
    demo: flag(env, 'DEMO', databaseUrl === null),
    adminPassword,
    devFlag: flag(env, 'DEV_FLAG', false),
    publicUrl: url(env, 'PUBLIC_URL', ['http:', 'https:']),
    outboundAllow: networks(env, 'OUTBOUND_ALLOW'),
    llm: llm(env),
    wechatPlatform: wechatPlatform(env),
    mapTiles: readMapTiles(env, line => {
      throw new ConfigError(line)
    }),
    trustProxy: Number(proxies),
    metricsToken: env.METRICS_TOKEN || null,
    logLevel: word(env, 'LOG_LEVEL', LEVELS, 'info'),
    logFormat: word(env, 'LOG_FORMAT', ['pretty', 'json'], isTerminal ? 'pretty' : 'json'),
  }
}

/** The process's own environment; the only place where it is read. */
export function processConfig(): Config {
  return readConfig(process.env, Boolean(process.stdout.isTTY))
}
