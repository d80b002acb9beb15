export { MEMBER_STATES } from '@thingwright/contracts/members.words'

/** The states of a member in the order of a membership. */
