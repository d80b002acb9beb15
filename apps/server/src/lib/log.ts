import { type Logger, pino } from 'pino'

export type { Logger }

export interface LogOptions {
  level: string
  format: 'pretty' | 'json'
}

/** Values that must never reach a log, wherever they stand in an object. */
const SECRETS = [
  'password',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'deviceSecret',
].flatMap(key => [key, `*.${key}`, `*.*.${key}`])

export function createLogger(options: LogOptions, name: string): Logger {
  return pino({
    name,
    level: options.level,
    redact: { paths: SECRETS, censor: '[redacted]' },
    ...(options.format === 'pretty'
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' } } }
      : {}),
  })
}

/** For tests and tools: says nothing. */
export const silentLogger: Logger = pino({ level: 'silent' })
