import type { MemberView } from '@thingwright/contracts/members.contract'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { nameOf } from '../hooks.ts'
import css from '../members.module.css'
import { OwnedList, useOwned } from './owned-list.tsx'
import { ReceiverSelect } from './receiver-select.tsx'

/** Gives everything a member owns to another one. */
export function HandOverDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const owned = useOwned(member.id)
  const [to, setTo] = useState<string | null>(null)
  const handOver = useAct('members.handOver', {
    done: () => {
      notify.success(t('handedOver'))
      onClose()
    },
  })
  const run = async () => {
    if (to === null) return
    await handOver.run({ params: { id: member.id }, body: { to } })
  }
  return (
    <Modal
      open
      width={480}
      title={t('handOverTitle', { name: nameOf(member) })}
      okText={t('handOver')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: to === null || owned.data?.length === 0, loading: handOver.pending }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <p>{t('handOverText')}</p>
      <OwnedList owned={owned} />
      <label className={css.label} htmlFor="hand-over-to">
        {t('receiver')}
      </label>
      <ReceiverSelect id="hand-over-to" without={member.id} value={to} onChange={setTo} />
    </Modal>
  )
}
