import { resolve } from 'node:path'

/** A variable that cannot be used: one line that names it, what it got and what it takes. */
export class ConfigError extends Error {}

export type Role = 'api' | 'ingest' | 'worker'

/** A port with the knowledge whether somebody asked for it: a busy port that was set ends the start. */
export interface PortSetting {
  variable: string
  port: number
  explicit: boolean
}

export interface Config {
  host: string
  http: PortSetting
  mqtt: PortSetting
  mqtts: PortSetting
  tls: { certFile: string; keyFile: string } | null
  dataDir: string
  databaseUrl: string | null
  roles: ReadonlySet<Role>
  /** From SECRET_KEY; null: the key in DATA_DIR/keys. */
  secretKey: string | null
  demo: boolean
  adminPassword: string | null
  devFlag: boolean
  publicUrl: string | null
  trustProxy: number
  metricsToken: string | null
  logLevel: string
  logFormat: 'pretty' | 'json'
}

/** Variables that belong to areas this version does not have: refused rather than ignored. */
const LATER: Record<string, string> = {
  TCP_PORT: 'raw TCP devices',
  UDP_PORT: 'raw UDP devices',
  COAP_PORT: 'CoAP devices',
  TCP_PORT_RANGE: 'ports of single products',
  NATS_URL: 'more than one server process',
  OBJECT_STORE_URL: 'uploads',
  LLM_BASE_URL: 'the assistant',
  LLM_API_KEY: 'the assistant',
  LLM_MODEL: 'the assistant',
  OUTBOUND_ALLOW: 'outgoing requests',
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
    mqtt: port(env, 'MQTT_PORT', 1883),
    mqtts: port(env, 'MQTTS_PORT', 8883),
    tls: certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : null,
    dataDir: resolve(env.DATA_DIR || 'data'),
    databaseUrl,
    roles: roles(env),
    secretKey,
    demo: flag(env, 'DEMO', databaseUrl === null),
    adminPassword,
    devFlag: flag(env, 'DEV_FLAG', false),
    publicUrl: url(env, 'PUBLIC_URL', ['http:', 'https:']),
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
