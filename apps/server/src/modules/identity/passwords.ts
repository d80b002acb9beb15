import { hash, verify } from '@node-rs/argon2'

/** argon2id, 19 MiB, 2 passes, 1 lane: OWASP's first choice; about 20 ms. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** So many hashes are computed at once; the rest wait, so that sign-ins cannot starve the process. */
const CONCURRENT = 2
const QUEUE = 200

let running = 0
const waiting: (() => void)[] = []

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (running >= CONCURRENT) {
    if (waiting.length >= QUEUE) throw Object.assign(new Error('too many sign-ins at once'), { code: '53300' })
    await new Promise<void>(resolve => waiting.push(resolve))
  }
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password.normalize('NFKC'), OPTIONS))
}

/** Hash of no password: checked when there is no such login, so that both answers take the same time. */
let nobody: Promise<string> | undefined

export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  nobody ??= hashPassword('no such login has this password')
  const against = stored ?? (await nobody)
  const right = await bounded(() => verify(against, password.normalize('NFKC')))
  return right && stored !== null
}
