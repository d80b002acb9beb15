import { randomBytes } from 'node:crypto'
import type { Behaviour } from '../cards/behaviour.ts'
import { Answered, type Asked, postJson, servePlatform } from '../platforms/platform-server.ts'

/** An account at a provider: what its owner types in elsewhere. */
export interface Account {
  /** What is typed in and may be shown. */
  config: Record<string, string>
  secrets: Record<string, string>
  /** Where receipts go; null: nowhere. */
  receipts: string | null
}

/** A message that was taken. */
export interface Taken {
  /** Such as `sms.aliyun`. */
  way: string
  account: Account
  /** The receiver; empty where the address of the robot is one. */
  to: string
  template: string
  params: unknown
  /** As it came. */
  body: string
  ref: string
}

/** How receipts of messages that are taken from now on read. */
export type ReceiptBehaviour =
  | { kind: 'delivered' }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'none' }

/** What a provider has, whichever it is. */
export interface MessageProvider {
  url: string
  taken: Taken[]
  /** Why requests were not taken. */
  faults: string[]
  /** @param name unlike that of every other account */
  account(way: string, name: string, receipts?: string | null): Account
  behave(behaviour: Behaviour, times?: number): void
  receiptsAre(behaviour: ReceiptBehaviour): void
  close(): Promise<void>
}

export interface ProviderOptions {
  port?: number
  host?: string
  now?: () => number
  /** Milliseconds from a message to its receipt. */
  receiptAfter?: number
}

/** A refusal in the provider's words. */
export interface Refusal {
  code: string
  message: string
}

/** Keys that nobody could guess. */
export const key = (bytes: number) => randomBytes(bytes).toString('hex')

/** What a kind of provider brings along. */
export interface ProviderKind {
  makeAccount(way: string, name: string): Omit<Account, 'receipts'>
  /** @throws Refused */
  take(asked: Asked, accounts: readonly Registered[]): { taken: Omit<Taken, 'account'>; account: Registered }
  yes(taken: Taken): unknown
  no(refusal: Refusal): unknown
  /** Null: the provider reports nothing. */
  receipt?(taken: Taken, behaviour: Exclude<ReceiptBehaviour, { kind: 'none' }>, now: number): unknown
}

export interface Registered extends Account {
  way: string
  name: string
}

/** A request that is not taken. */
export class Refused extends Error {
  override name = 'Refused'
  constructor(
    readonly code: string,
    message: string,
    /** Of HTTP. */
    readonly status = 200,
  ) {
    super(message)
  }
}

/** The part that all of them share: accounts, what was taken, receipts, and how it behaves from now on. */
export async function startProvider(kind: ProviderKind, options: ProviderOptions): Promise<MessageProvider> {
  const { now = Date.now, receiptAfter = 200 } = options
  const accounts: Registered[] = []
  const taken: Taken[] = []
  const faults: string[] = []
  const timers = new Set<NodeJS.Timeout>()
  let receipts: ReceiptBehaviour = { kind: 'delivered' }

  function report(message: Taken): void {
    const { receipts: url } = message.account
    const behaviour = receipts
    if (!url || behaviour.kind === 'none' || !kind.receipt) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      // A receiver that is away misses its receipt.
      postJson(url, kind.receipt!(message, behaviour, now())).catch(() => undefined)
    }, receiptAfter)
    timers.add(timer)
  }

  const server = await servePlatform(
    options,
    asked => {
      try {
        const { taken: message, account } = kind.take(asked, accounts)
        const whole = { ...message, account }
        taken.push(whole)
        report(whole)
        return kind.yes(whole)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        faults.push(error.message)
        return new Answered(error.status, kind.no(error))
      }
    },
    (code, message) => kind.no({ code, message }),
  )
  return {
    url: server.url,
    taken,
    faults,
    account(way, name, receiptsTo = null) {
      const known = accounts.find(one => one.way === way && one.name === name)
      if (known) {
        known.receipts = receiptsTo
        return known
      }
      const made: Registered = { ...kind.makeAccount(way, name), way, name, receipts: receiptsTo }
      accounts.push(made)
      return made
    },
    behave: server.behave,
    receiptsAre(behaviour) {
      receipts = behaviour
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      return server.close()
    },
  }
}

/** A JSON object, or nothing. */
export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
