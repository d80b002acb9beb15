import type { MemberState } from '@thingwright/contracts/members.contract'

/** The states of a member in the order of a membership. */
export const MEMBER_STATES = ['invited', 'active', 'frozen', 'left'] as const satisfies readonly MemberState[]
