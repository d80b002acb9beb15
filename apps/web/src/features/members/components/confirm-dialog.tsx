import type { MemberView } from '@thingwright/contracts/members.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { nameOf, useMembersChanged } from '../hooks.ts'

/** Changes that are done after one question. */
export const CONFIRMED = ['freeze', 'unfreeze', 'unlock', 'resetPassword', 'resend', 'revoke'] as const
export type Confirmed = (typeof CONFIRMED)[number]

const DANGEROUS: ReadonlySet<Confirmed> = new Set<Confirmed>(['freeze', 'revoke'])

/** Says what will happen, then does it. */
export function ConfirmDialog({ what, member, onClose }: { what: Confirmed; member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const changed = useMembersChanged()
  const { attempt, pending: busy } = useWork()
  const name = nameOf(member)
  const run = async () => {
    await attempt(async () => {
      const done = await call(`members.${what}`, { params: { id: member.id } })
      const sentTo = 'sentTo' in done ? done.sentTo : (member.email ?? member.phone ?? '')
      changed()
      notify.success(t(`confirm.${what}.done`, { name, address: sentTo }))
      onClose()
    })
  }
  return (
    <Modal
      open
      width={440}
      title={t(`confirm.${what}.title`, { name })}
      okText={t(`confirm.${what}.ok`)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: DANGEROUS.has(what), loading: busy }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <p>{t(`confirm.${what}.text`, { name, address: member.email ?? member.phone ?? '' })}</p>
    </Modal>
  )
}
