import type { Ctx } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import type { ChannelsService } from '../contacts/index.ts'
import { WECHAT_HOST } from './wechat.port.ts'
import type { AccountRow } from './wechat-accounts.repo.ts'

/** The channel by which messages about alarms leave through the official account: contacts sends them. */
export interface MessageChannel {
  /** Makes it, or tells it of another app id or secret. @returns its id */
  put(ctx: Ctx, account: AccountRow, appSecret: string): Promise<string>
  remove(ctx: Ctx, id: string): Promise<void>
}

export function createMessageChannel(channels: ChannelsService): MessageChannel {
  return {
    async put(ctx, account, appSecret) {
      const config = {
        appId: account.appId,
        ...(account.baseUrl === WECHAT_HOST || account.simulated ? {} : { baseUrl: account.baseUrl }),
      }
      const values = { config, secrets: { appSecret } }
      const { items } = await channels.list(ctx, { kind: 'wechat', limit: 100 })
      const found =
        items.find(each => each.id === account.channelId) ??
        items.find(each => sameAs(each, account)) ??
        // The demo company has a channel of a simulated account before it has the account.
        items.find(each => account.simulated && each.simulated && each.config.appId === undefined)
      if (found) {
        await channels.update(ctx, found.id, { ...values, version: found.version })
        return found.id
      }
      const make = (name: string) =>
        channels.create(ctx, { kind: 'wechat', provider: 'wechat', name, ...values, simulated: account.simulated })
      try {
        return (await make(account.name)).id
      } catch (error) {
        if (!isAppError(error) || error.code !== 'channel.name_taken') throw error
        return (await make(`${account.name} ${account.appId}`)).id
      }
    },

    async remove(ctx, id) {
      try {
        await channels.remove(ctx, id)
      } catch (error) {
        if (!isAppError(error) || error.code !== 'channel.not_found') throw error
      }
    },
  }
}

const sameAs = (channel: { config: Record<string, string> }, account: AccountRow) =>
  channel.config.appId === account.appId
