import type { MemberView } from '@thingwright/contracts/members.contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { nameOf } from '../hooks.ts'
import css from '../members.module.css'
import { OwnedList, useOwned } from './owned-list.tsx'
import { ReceiverSelect } from './receiver-select.tsx'

/** Ends a membership for good; what the member owns can go to somebody else first. */
export function LeaveDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const leave = useAct('members.leave')
  const owned = useOwned(member.id)
  const [to, setTo] = useState<string | null>(null)
  return (
    <ConfirmTyped
      open
      title={t('leaveTitle', { name: nameOf(member) })}
      expected={member.username ?? ''}
      confirmText={t('leave')}
      onCancel={onClose}
      onConfirm={async () => {
        await leave.send({ params: { id: member.id }, body: { handOverTo: to } })
        notify.success(t('hasLeft', { name: nameOf(member) }))
        onClose()
      }}
    >
      <p>{t('leaveText')}</p>
      <OwnedList owned={owned} />
      {owned.data && owned.data.length > 0 && (
        <>
          <label className={css.label} htmlFor="leave-to">
            {t('receiverOptional')}
          </label>
          <ReceiverSelect id="leave-to" without={member.id} value={to} onChange={setTo} />
        </>
      )}
    </ConfirmTyped>
  )
}
