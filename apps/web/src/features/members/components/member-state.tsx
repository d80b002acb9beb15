import type { MemberView } from '@thingwright/contracts/members.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'

const KIND: Record<MemberView['state'], StatusKind> = {
  invited: 'processing',
  active: 'success',
  frozen: 'disabled',
  left: 'neutral',
}

/** The key of a member's state in words: expired invitations and locked sign-ins are told apart. */
export function stateKey(member: MemberView): 'invited' | 'expired' | 'active' | 'locked' | 'frozen' | 'left' {
  if (member.invitation?.expired) return 'expired'
  return member.state === 'active' && member.lockedUntil !== null ? 'locked' : member.state
}

export function MemberState({ member }: { member: MemberView }) {
  const { t } = useTranslation('members')
  const key = stateKey(member)
  const kind = key === 'expired' || key === 'locked' ? 'warning' : KIND[member.state]
  const title =
    key === 'locked'
      ? t('lockedUntil', { time: formatDateTime(member.lockedUntil) })
      : member.invitation
        ? t('invitationUntil', { time: formatDateTime(member.invitation.expiresAt) })
        : member.leftAt
          ? t('leftAt', { time: formatDateTime(member.leftAt) })
          : undefined
  return (
    <StatusTag kind={kind} {...(title === undefined ? {} : { title })}>
      {t(`states.${key}`)}
    </StatusTag>
  )
}
