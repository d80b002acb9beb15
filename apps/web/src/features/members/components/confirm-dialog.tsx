import type { MemberView } from '@thingwright/contracts/members.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { nameOf } from '../hooks.ts'

/** Changes that are done after one question. */
export const CONFIRMED = ['freeze', 'unfreeze', 'unlock', 'resetPassword', 'resend', 'revoke'] as const
export type Confirmed = (typeof CONFIRMED)[number]

const DANGEROUS: ReadonlySet<Confirmed> = new Set<Confirmed>(['freeze', 'revoke'])

/** Says what will happen, then does it. */
export function ConfirmDialog({ what, member, onClose }: { what: Confirmed; member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const name = nameOf(member)
  const { run, pending } = useAct(`members.${what}`, {
    done: reply => {
      const sentTo = 'sentTo' in reply ? reply.sentTo : (member.email ?? member.phone ?? '')
      notify.success(t(`confirm.${what}.done`, { name, address: sentTo }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={440}
      title={t(`confirm.${what}.title`, { name })}
      okText={t(`confirm.${what}.ok`)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: DANGEROUS.has(what), loading: pending }}
      onOk={() => void run({ params: { id: member.id } })}
      onCancel={onClose}
    >
      <p>{t(`confirm.${what}.text`, { name, address: member.email ?? member.phone ?? '' })}</p>
    </Modal>
  )
}
