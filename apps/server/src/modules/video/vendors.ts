import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import * as repo from './accounts.repo.ts'
import { VideoError, type VideoFactory, type VideoVendor } from './video.port.ts'

export interface Vendors {
  of(account: repo.AccountRow): VideoVendor
  seal(id: string, appSecret: string): Buffer
  secretOf(account: Pick<repo.AccountRow, 'id' | 'cipher'>): string
  sealCode(channelId: string, code: string): Buffer
  codeOf(channel: { id: string; codeCipher: Buffer | null }): string | null
}

const accountContext = (id: string) => `video-account:${id}`
const tokenContext = (id: string) => `video-token:${id}`
const codeContext = (id: string) => `video-code:${id}`

/** Clients of the accounts. A token is stored encrypted and used by all processes until it ends. */
export function createVendors(database: Database, factory: VideoFactory, box: CryptoBox): Vendors {
  const secretOf: Vendors['secretOf'] = ({ id, cipher }) => box.open(cipher, accountContext(id)).toString('utf8')
  return {
    secretOf,
    seal: (id, appSecret) => box.seal(appSecret, accountContext(id)),
    sealCode: (id, code) => box.seal(code, codeContext(id)),
    codeOf: ({ id, codeCipher }) => codeCipher && box.open(codeCipher, codeContext(id)).toString('utf8'),
    of: account =>
      factory(
        {
          appKey: account.appKey,
          appSecret: secretOf(account),
          baseUrl: account.baseUrl,
          token: account.tokenCipher && {
            value: box.open(account.tokenCipher, tokenContext(account.id)).toString('utf8'),
            expiresAt: account.tokenExpiresAt!.getTime(),
            host: account.tokenHost!,
          },
          async keep({ value, expiresAt, host }) {
            const cipher = box.seal(value, tokenContext(account.id))
            await database.withSystemScope('video', scope =>
              repo.keepToken(scope, account.id, cipher, new Date(expiresAt), host),
            )
          },
        },
        account.simulated,
      ),
  }
}

/** @throws AppError video.account_not_found, video.account_disabled */
export async function accountFor(scope: TenantScope, id: string): Promise<repo.AccountRow> {
  const account = await repo.find(scope, id)
  if (!account) throw new AppError('video.account_not_found')
  if (account.state === 'disabled') throw new AppError('video.account_disabled')
  return account
}

/** Codes of the vendor that mean something of their own to the caller; others are shown as they are. */
const CODES = {
  '10001': 'video.vendor',
  '10005': 'video.account_refused',
  '10017': 'video.account_refused',
  '10030': 'video.account_refused',
  '10007': 'video.too_often',
  '10028': 'video.too_often',
  '10029': 'video.too_often',
  '20002': 'video.serial_wrong',
  '20014': 'video.serial_wrong',
  '20007': 'video.offline',
  '20008': 'video.offline',
  '20010': 'video.code_wrong',
  '20013': 'video.device_of_other',
  '60000': 'video.no_ptz',
  '60020': 'video.no_ptz',
  '60019': 'video.code_needed',
} as const

/** What a vendor's answer is to the caller: its own code and words stand in it. */
export function vendorError(error: unknown, field?: string): unknown {
  if (!(error instanceof VideoError)) return error
  const code = error.unreachable
    ? 'video.vendor_unreachable'
    : (CODES[error.code as keyof typeof CODES] ?? 'video.vendor')
  const params = { code: error.code, text: error.text, reason: error.text }
  return new AppError(code, { params, ...(field ? { fields: { [field]: { code, params } } } : {}) })
}
