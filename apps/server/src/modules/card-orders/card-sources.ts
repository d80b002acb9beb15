import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { CardSource } from '../sim-cards/index.ts'
import type { SourceRow } from './stock.repo.ts'

/** Seals and opens the credentials of card sources, and of the accounts that companies get with their cards. */
export interface SourceBoxes {
  sources: CryptoBox
  accounts: CryptoBox
}

const context = (id: string) => `card-source:${id}`

export const sealSource = (boxes: SourceBoxes, id: string, secrets: CardSource['secrets']): Buffer =>
  boxes.sources.seal(JSON.stringify(secrets), context(id))

/** A source with its credentials in the clear. */
export function openSource(boxes: SourceBoxes, row: SourceRow): CardSource {
  const { id, name, carrier, kind, baseUrl, account, simulated } = row
  const secrets = JSON.parse(boxes.sources.open(row.cipher, context(id)).toString('utf8')) as CardSource['secrets']
  return { id, name, carrier, kind, baseUrl, account, simulated, secrets }
}
