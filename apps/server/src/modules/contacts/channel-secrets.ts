import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'

/** What the box of the secrets is made for; never changed. */
export const CHANNELS_SEAL = 'notification-channels'

/** Seals the secrets of channels, each for its channel alone. */
export class ChannelSecrets {
  constructor(private readonly box: CryptoBox) {}

  seal(id: string, secrets: Readonly<Record<string, string>>): Buffer | null {
    return Object.keys(secrets).length === 0 ? null : this.box.seal(JSON.stringify(secrets), `channel:${id}`)
  }

  open(id: string, sealed: Buffer | null): Record<string, string> {
    return sealed ? (JSON.parse(this.box.open(sealed, `channel:${id}`).toString('utf8')) as Record<string, string>) : {}
  }
}
