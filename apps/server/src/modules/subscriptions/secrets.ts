import { randomBytes } from 'node:crypto'
import type { SubscriptionTarget } from '@thingwright/contracts/subscriptions.contract'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'

/** What a target keeps to itself. */
export interface TargetSecrets {
  /** Of a webhook, newest first. */
  secrets?: string[]
  /** Values of a webhook's headers: often keys. */
  headers?: Record<string, string>
  password?: string
  token?: string
}

export interface SealedTarget {
  /** For the database and for people: nothing secret. */
  target: SubscriptionTarget
  cipher: Buffer | null
}

type Stored = { id: string; target: SubscriptionTarget; secrets_cipher: Buffer | null; old_secret_until: Date | null }

/** Splits targets into what may be seen and what is sealed, and puts them together again. */
export class SubscriptionSecrets {
  constructor(private readonly box: CryptoBox) {}

  seal(id: string, target: SubscriptionTarget, secrets: TargetSecrets): SealedTarget {
    const kept = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== undefined))
    const cipher = Object.keys(kept).length > 0 ? this.box.seal(JSON.stringify(kept), context(id)) : null
    return { target: withoutSecrets(target), cipher }
  }

  read({ id, secrets_cipher: cipher }: Pick<Stored, 'id' | 'secrets_cipher'>): TargetSecrets {
    return cipher ? (JSON.parse(this.box.open(cipher, context(id)).toString('utf8')) as TargetSecrets) : {}
  }

  /** The target as an adapter needs it. An old secret past its time no longer signs. */
  open(row: Stored, now: number): { target: SubscriptionTarget; secrets: string[] } {
    const { secrets = [], headers, password, token } = this.read(row)
    const valid = (row.old_secret_until?.getTime() ?? 0) > now ? secrets : secrets.slice(0, 1)
    const target = {
      ...row.target,
      ...(row.target.kind === 'webhook' ? { secret: valid[0], headers } : {}),
      ...(password === undefined ? {} : { password }),
      ...(token === undefined ? {} : { token }),
    } as SubscriptionTarget
    return { target, secrets: valid }
  }
}

/** 43 characters, 256 bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
export const passwordHash = (password: string): Buffer => secretHash(password)

/** Secrets that a request brings. */
export function secretsOf(target: SubscriptionTarget): TargetSecrets {
  switch (target.kind) {
    case 'webhook':
      return {
        ...(target.secret === undefined ? {} : { secrets: [target.secret] }),
        ...(target.headers ? { headers: target.headers as Record<string, string> } : {}),
      }
    case 'nats':
      return {
        ...(target.password === undefined ? {} : { password: target.password }),
        ...(target.token === undefined ? {} : { token: target.token }),
      }
    case 'kafka':
      return target.password === undefined ? {} : { password: target.password }
    default:
      return {}
  }
}

export function withoutSecrets(target: SubscriptionTarget): SubscriptionTarget {
  switch (target.kind) {
    case 'webhook': {
      const { secret: _, headers, ...shown } = target
      // Names stay to be shown.
      return (
        headers ? { ...shown, headers: Object.fromEntries(Object.keys(headers).map(name => [name, ''])) } : shown
      ) as SubscriptionTarget
    }
    case 'nats': {
      const { password: _, token: __, ...shown } = target
      return shown
    }
    case 'kafka': {
      const { password: _, ...shown } = target
      return shown
    }
    default:
      return target
  }
}

const context = (id: string) => `subscription:${id}`
