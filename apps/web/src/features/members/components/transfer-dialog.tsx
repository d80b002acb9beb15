import type { MemberView } from '@thingwright/contracts/members.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { nameOf } from '../hooks.ts'
import css from '../members.module.css'

/** Makes a member owner in one's own place; the API client asks for a fresh proof where it is needed. */
export function TransferDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const { run, pending, error } = useAct('members.transferOwnership', {
    notice: false,
    done: () => {
      notify.success(t('transferred', { name: nameOf(member) }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={480}
      title={t('transferTitle', { name: nameOf(member) })}
      okText={t('transfer')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: pending }}
      onOk={() => void run({ params: { id: member.id } })}
      onCancel={onClose}
    >
      <p>{t('transferText', { name: nameOf(member) })}</p>
      {error !== null && (
        <p className={css.problem} role="alert">
          {errorFacts(error).message}
        </p>
      )}
    </Modal>
  )
}
