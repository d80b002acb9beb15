import { type Block, blockOption, type CoapMessage, OptionNumber } from './message.ts'

/** Bounds of requests that come in blocks: one of them, and all together. */
export const MAX_BODY = 64 * 1024 + 1
const MAX_TRANSFERS = 1_000
const MAX_BYTES = 16 * 1024 * 1024
/** A transfer that rests this long is forgotten, ms. */
const REST_MS = 60_000

interface Transfer {
  blocks: Buffer[]
  size: number
  at: number
}

export type Assembled =
  /** The whole request. */
  | { kind: 'whole'; payload: Buffer; block: Block | null }
  /** More is to come. */
  | { kind: 'more'; block: Block }
  | { kind: 'refused'; why: 'malformed' | 'incomplete' | 'too_large' | 'busy' }

/** Puts requests together that come in blocks (RFC 7959 §2.5), of devices that have signed in. */
export class BlockStore {
  private readonly transfers = new Map<string, Transfer>()
  private bytes = 0

  constructor(private readonly now: () => number) {}

  /** @param key who sends to which resource */
  add(key: string, message: CoapMessage): Assembled {
    const block = blockOption(message, OptionNumber.block1)
    if (block === false) return { kind: 'refused', why: 'malformed' }
    if (block === null) return { kind: 'whole', payload: message.payload, block }
    const { payload } = message
    if (block.more && payload.length !== 1 << (block.szx + 4)) return { kind: 'refused', why: 'malformed' }
    if (block.num === 0) this.drop(key)
    const transfer = this.transfers.get(key) ?? { blocks: [], size: 0, at: this.now() }
    if (block.num << (block.szx + 4) !== transfer.size) {
      this.drop(key)
      return { kind: 'refused', why: 'incomplete' }
    }
    if (transfer.size + payload.length > MAX_BODY) {
      this.drop(key)
      return { kind: 'refused', why: 'too_large' }
    }
    if (!block.more) {
      this.drop(key)
      return { kind: 'whole', payload: Buffer.concat([...transfer.blocks, payload]), block }
    }
    this.makeRoom(payload.length)
    if (this.bytes + payload.length > MAX_BYTES || this.transfers.size >= MAX_TRANSFERS)
      return { kind: 'refused', why: 'busy' }
    transfer.blocks.push(payload)
    transfer.size += payload.length
    transfer.at = this.now()
    this.bytes += payload.length
    this.transfers.delete(key)
    this.transfers.set(key, transfer)
    return { kind: 'more', block }
  }

  private drop(key: string): void {
    const transfer = this.transfers.get(key)
    if (!transfer) return
    this.bytes -= transfer.size
    this.transfers.delete(key)
  }

  /** Forgets transfers that rest; the longest resting stand first. */
  private makeRoom(more: number): void {
    const full = this.bytes + more > MAX_BYTES || this.transfers.size >= MAX_TRANSFERS
    for (const [key, { at }] of this.transfers) {
      if (!full || at > this.now() - REST_MS) return
      this.drop(key)
    }
  }
}
