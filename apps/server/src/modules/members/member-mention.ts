import { type MemberView, membersContract } from '@thingwright/contracts/members.contract'
import { listAt, mention } from '../../lib/tools/tool-kit.ts'
import type { CallApi, Mention } from '../../lib/tools/tools.ts'

export const PAGE = '/admin/member'

/** What a member is called: his name, or what he signs in with. */
export const memberName = (member: MemberView): string =>
  member.displayName || member.username || member.email || member.phone || member.id

export const mentionOf = (member: MemberView): Mention =>
  mention('member', member.id, memberName(member), listAt(PAGE, member.username ?? memberName(member)))

/** What a member owns, kinds of which he owns none left out. */
export async function ownedBy(call: CallApi, member: MemberView) {
  if (member.state === 'invited') return []
  const { items } = await call(membersContract.owned, { params: { id: member.id } })
  return items.filter(({ count }) => count > 0)
}
