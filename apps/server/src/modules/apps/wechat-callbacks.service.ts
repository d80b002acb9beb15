import { Readable } from 'node:stream'
import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { wechatCallbacksContract } from '@thingwright/contracts/wechat-accounts.contract'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import * as repo from './wechat-accounts.repo.ts'
import type { WechatClient } from './wechat-client.ts'
import { decryptMessage, encryptMessage, isSigned, signatureOf } from './wechat-crypto.ts'
import { readXml, textIn, writeXml, type XmlValue } from './wechat-xml.ts'

type Contract = typeof wechatCallbacksContract
type Query = QueryOf<Contract['take']>

/** A message or an event, as a follower caused it. */
export type WechatMessage = Record<string, XmlValue>

/** What WeChat tells us. Whatever is not signed with the token of the account is refused. */
export interface WechatCallbacks {
  /** @throws AppError wechat.signature_wrong */
  check(id: string, query: Query): Promise<StreamReply>
  /** @throws AppError wechat.signature_wrong */
  take(id: string, query: Query, body: BodyOf<Contract['take']>): Promise<StreamReply>
}

export interface WechatCallbacksDeps {
  database: Database
  client: WechatClient
  /** What becomes of a message. @returns the text that the follower is answered; null: none */
  onMessage(account: repo.AccountRow, message: WechatMessage): Promise<string | null>
  now(): number
}

/** The response by which WeChat knows that we received the message and do not reply to the follower. */
const TAKEN = 'success'
/** Older requests are replays. */
const FRESH_MS = 600_000

export function createWechatCallbacks(deps: WechatCallbacksDeps): WechatCallbacks {
  const { database, client } = deps
  const read = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)
  const refused = () => new AppError('wechat.signature_wrong')

  async function known(id: string): Promise<repo.AccountRow> {
    const row = await read(scope => repo.find(scope, id))
    // The answer does not say whether there is such an account.
    if (!row) throw refused()
    return row
  }

  async function heard(account: repo.AccountRow, state: 'ok' | 'failed', said: string): Promise<void> {
    const before = account.steps.callback
    const at = new Date(deps.now())
    if (state === 'failed' && before?.state === 'failed' && before.said === said) return
    await read(async scope => {
      await repo.noteStep(scope, account.id, 'callback', { state, said, at: at.toISOString() })
      if (state === 'ok') await repo.noteMessage(scope, account.id, at)
    })
  }

  const isFresh = (timestamp: string | undefined) =>
    Math.abs(deps.now() - Number(timestamp ?? Number.NaN) * 1_000) < FRESH_MS

  function reply(account: repo.AccountRow, message: WechatMessage, text: string, isEncrypted: boolean): string {
    const answer = writeXml({
      ToUserName: textIn(message, 'FromUserName'),
      FromUserName: textIn(message, 'ToUserName'),
      CreateTime: Math.floor(deps.now() / 1_000),
      MsgType: 'text',
      Content: text,
    })
    if (!isEncrypted) return answer
    const { token, aesKey } = client.secretsOf(account)
    const encrypted = encryptMessage(answer, aesKey, account.appId)
    const timestamp = String(Math.floor(deps.now() / 1_000))
    const nonce = signatureOf(timestamp, encrypted).slice(0, 12)
    return writeXml({
      Encrypt: encrypted,
      MsgSignature: signatureOf(token, timestamp, nonce, encrypted),
      TimeStamp: Number(timestamp),
      Nonce: nonce,
    })
  }

  return {
    async check(id, query) {
      const account = await known(id)
      const { token } = client.secretsOf(account)
      if (!isSigned(query.signature, token, query.timestamp ?? '', query.nonce ?? '')) {
        await heard(account, 'failed', 'signature')
        throw refused()
      }
      await heard(account, 'ok', '')
      return plain(query.echostr ?? '')
    },

    async take(id, query, body) {
      const account = await known(id)
      const { token, aesKey } = client.secretsOf(account)
      const outer = readXml(body)
      const isEncrypted = query.encrypt_type === 'aes' || (outer !== null && textIn(outer, 'Encrypt') !== '')
      const stamp = [token, query.timestamp ?? '', query.nonce ?? ''] as const
      const encrypted = outer ? textIn(outer, 'Encrypt') : ''
      const isRight = isEncrypted
        ? aesKey !== '' && isSigned(query.msg_signature, ...stamp, encrypted)
        : account.mode !== 'encrypted' && isSigned(query.signature, ...stamp)
      if (!outer || !isRight || !isFresh(query.timestamp)) {
        await heard(account, 'failed', !isRight && !isEncrypted && account.mode === 'encrypted' ? 'plain' : 'signature')
        throw refused()
      }
      const text = isEncrypted ? decryptMessage(encrypted, aesKey, account.appId) : body
      const message = text === null ? null : readXml(text)
      if (!message) {
        await heard(account, 'failed', 'decrypt')
        throw refused()
      }
      await heard(account, 'ok', '')
      const answer = await deps.onMessage(account, message)
      return plain(answer === null ? TAKEN : reply(account, message, answer, isEncrypted))
    },
  }
}

const plain = (text: string) => new StreamReply(Readable.from([Buffer.from(text)]), 'text/plain; charset=utf-8')
