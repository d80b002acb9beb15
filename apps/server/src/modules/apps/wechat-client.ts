import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { WechatError, type WechatHttp } from './wechat.port.ts'
import type { AccountRow } from './wechat-accounts.repo.ts'

export interface AccountSecrets {
  appSecret: string
  token: string
  aesKey: string
}

/** Asks WeChat as an official account does: with its access token, kept until shortly before its end. */
export interface WechatClient {
  secretsOf(account: Pick<AccountRow, 'id' | 'secretsCipher'>): AccountSecrets
  seal(id: string, secrets: AccountSecrets): Buffer
  /** A token, asked for now. @throws WechatError */
  newToken(account: AccountRow): Promise<string>
  /** @param path without the token @throws WechatError */
  ask(account: AccountRow, path: string, body?: object): Promise<Record<string, unknown>>
}

/** The token is asked for again so long before its end. */
const EARLY_MS = 300_000

export function createWechatClient(deps: { http: WechatHttp; box: CryptoBox; now(): number }): WechatClient {
  const tokens = new Map<string, { value: string; until: number }>()
  const contextOf = (id: string) => `wechat-account:${id}`

  const secretsOf: WechatClient['secretsOf'] = ({ id, secretsCipher }) =>
    JSON.parse(deps.box.open(secretsCipher, contextOf(id)).toString('utf8')) as AccountSecrets

  async function newToken(account: AccountRow): Promise<string> {
    // Of the stable kind: another server that asks for one does not end this one.
    const answer = await deps.http.ask(account.baseUrl, account.simulated, '/cgi-bin/stable_token', {
      grant_type: 'client_credential',
      appid: account.appId,
      secret: secretsOf(account).appSecret,
      force_refresh: false,
    })
    if (typeof answer.access_token !== 'string') throw new WechatError(null, 'no access_token')
    const life = typeof answer.expires_in === 'number' ? answer.expires_in * 1_000 : 0
    tokens.set(keyOf(account), { value: answer.access_token, until: deps.now() + Math.max(0, life - EARLY_MS) })
    return answer.access_token
  }

  const keyOf = ({ id, appId, baseUrl }: AccountRow) => `${id} ${appId} ${baseUrl}`

  return {
    secretsOf,
    seal: (id, secrets) => deps.box.seal(JSON.stringify(secrets), contextOf(id)),
    newToken,
    async ask(account, path, body) {
      const kept = tokens.get(keyOf(account))
      const send = (token: string) =>
        deps.http.ask(
          account.baseUrl,
          account.simulated,
          `${path}${path.includes('?') ? '&' : '?'}access_token=${encodeURIComponent(token)}`,
          body,
        )
      if (!kept || kept.until <= deps.now()) return send(await newToken(account))
      try {
        return await send(kept.value)
      } catch (error) {
        if (!(error instanceof WechatError) || !error.isTokenGone) throw error
        return send(await newToken(account))
      }
    },
  }
}
