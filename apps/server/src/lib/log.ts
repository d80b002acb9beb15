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

/**
 * An error as it is logged: its name, words and places, and the words of its causes. Not what hangs on it: a query's
 * parameters, a request's headers, a row that was refused hold what somebody signs in with.
 */
function errorLine(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: withoutValues(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // The first line repeats the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter(line => /^\s+at /.test(line))
      .join('\n'),
    ...(error.cause === undefined || depth >= 5 ? {} : { cause: errorLine(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && depth < 5
      ? { errors: error.errors.slice(0, 10).map(each => errorLine(each, depth + 1)) }
      : {}),
  }
}

/** The query builder's words end in the values of a query, and those of an address in what comes after `?`. */
function withoutValues(message: string): string {
  return message.replace(/\nparams: [\s\S]*$/, '').replace(/[^\s"']+/g, word => {
    const begins = word.indexOf('?')
    return begins >= 0 && word.includes('=', begins) ? `${word.slice(0, begins)}?…` : word
  })
}

export function createLogger(options: LogOptions, name: string): Logger {
  return pino({
    name,
    level: options.level,
    redact: { paths: SECRETS, censor: '[redacted]' },
    serializers: { err: errorLine, error: errorLine },
    ...(options.format === 'pretty'
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' } } }
      : {}),
  })
}

/** For tests and tools: says nothing. */
export const silentLogger: Logger = pino({ level: 'silent' })
