import { accountContract } from '@thingwright/contracts/company.contract'
import { identityContract } from '@thingwright/contracts/identity.contract'
import { purchaseOrdersContract } from '@thingwright/contracts/purchase-orders.contract'
import { securityContract } from '@thingwright/contracts/security.contract'
import { actorId, type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { TlinkParts } from './tlink-ask.ts'
import type { TlinkCompatService } from './tlink-compat.service.ts'
import { Refused } from './tlink-refused.ts'
import { userNumber } from './tlink-words.ts'

type Users = Pick<TlinkCompatService, 'getUserInfo' | 'getVerifyCode' | 'updateUserInfo' | 'updatePassword'>

/** Length of the region in the profile of a company. */
const MOST_ADDRESS = 64

/** Who is signed in, in the words of that family. */
export function createTlinkUsers({ ask }: TlinkParts): Users {
  /** Balance and text messages left, for who may see them. */
  async function moneyOf(ctx: Ctx): Promise<{ balance: string; smsCount: number | '' }> {
    const { actor } = ctx
    const mayKnow = actor.kind !== 'system' && actor.permissions.has('money:read') && dataScopeOf(actor).kind === 'all'
    if (!mayKnow) return { balance: '', smsCount: '' }
    const { wallet, units } = await ask(ctx, purchaseOrdersContract.assets, {})
    return {
      balance: (wallet.availableFen / 100).toFixed(2),
      smsCount: units.find(each => each.kind === 'sms')?.left ?? 0,
    }
  }

  const isWhole = ({ actor }: Ctx) => actor.kind !== 'system' && dataScopeOf(actor).kind === 'all'

  /** Where the company is, for who may see its profile. */
  async function addressOf(ctx: Ctx): Promise<string> {
    const { actor } = ctx
    if (actor.kind === 'system' || !actor.permissions.has('company:read') || !isWhole(ctx)) return ''
    return (await ask(ctx, accountContract.get, {})).region
  }

  const sendOwnCode = (ctx: Ctx, channel: 'sms' | 'mail') =>
    ask(ctx, securityContract.sendCode, { body: { channel, purpose: 'password' } })

  return {
    async getUserInfo(ctx) {
      const { actor } = ctx
      const name = 'username' in actor ? actor.username : ''
      const facts = { userId: userNumber(actorId(actor) ?? '0'), userName: name, name }
      if (actor.kind === 'apiKey') return { ...facts, ...(await moneyOf(ctx)) }
      const me = await ask(ctx, identityContract.me, {})
      return {
        ...facts,
        clientId: me.company.appId,
        name: me.company.name,
        contactName: me.displayName,
        mobile: me.phone ?? '',
        email: me.email ?? '',
        address: await addressOf(ctx),
        ...(await moneyOf(ctx)),
      }
    },

    async getVerifyCode(ctx, { mobile, email }) {
      // To what is his own already: a code for a new password. To anything else: one that makes it his.
      const me = mobile || email ? await ask(ctx, identityContract.me, {}) : null
      if (mobile && mobile === me?.phone) await sendOwnCode(ctx, 'sms')
      else if (!mobile && email && email === me?.email) await sendOwnCode(ctx, 'mail')
      else if (mobile) await ask(ctx, identityContract.smsCode, { body: { phone: mobile, purpose: 'bind' } })
      else if (email) await ask(ctx, identityContract.emailCode, { body: { email } })
      else throw new Refused('mobile, email')
      return {}
    },

    async updateUserInfo(ctx, { contactName, mobile, email, address, verifyCode }) {
      if ((mobile || email) && !verifyCode) throw new Refused('verifyCode')
      if (mobile && email) throw new Refused('mobile, email')
      if (address && address.length > MOST_ADDRESS) throw new Refused(`address: 0-${MOST_ADDRESS}`)
      const code = String(verifyCode ?? '')
      // First what may be refused for a lack of permissions: nothing is changed by half.
      if (address !== undefined && address !== (await addressOf(ctx))) {
        const { version } = await ask(ctx, accountContract.get, {})
        await ask(ctx, accountContract.update, { body: { version, region: address } })
      }
      if (mobile) await ask(ctx, identityContract.changePhone, { body: { phone: mobile, code } })
      if (email) await ask(ctx, identityContract.changeEmail, { body: { email, code } })
      if (contactName) await ask(ctx, identityContract.updateMe, { body: { displayName: contactName.slice(0, 64) } })
      return {}
    },

    async updatePassword(ctx, { password, verifyCode, email }) {
      if (!password) throw new Refused('password')
      if (!verifyCode) throw new Refused('verifyCode')
      const { phone } = await ask(ctx, identityContract.me, {})
      const channel = email || !phone ? 'mail' : 'sms'
      await ask(ctx, securityContract.changePassword, {
        body: { newPassword: password, channel, code: String(verifyCode) },
      })
      return {}
    },
  }
}
