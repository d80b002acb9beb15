import type { MemberView } from '@thingwright/contracts/members.contract'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { nameOf, useMembersChanged } from '../hooks.ts'
import css from '../members.module.css'

/** Makes a member owner in one's own place; the API client asks for a fresh proof where it is needed. */
export function TransferDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const changed = useMembersChanged()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async () => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await call('members.transferOwnership', { params: { id: member.id } })
      changed()
      notify.success(t('transferred', { name: nameOf(member) }))
      onClose()
    } catch (error) {
      if (!isSilent(error)) setProblem(errorFacts(error).message)
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      width={480}
      title={t('transferTitle', { name: nameOf(member) })}
      okText={t('transfer')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: busy }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <p>{t('transferText', { name: nameOf(member) })}</p>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
    </Modal>
  )
}
