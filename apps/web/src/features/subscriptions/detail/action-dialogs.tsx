import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { isSilent } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useSubscriptionChanged, useSubscriptionRemoved } from '../hooks.ts'
import css from '../subscriptions.module.css'
import { ReplayDialog } from './replay-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { TestDialog } from './test-dialog.tsx'

export type DialogKind = 'test' | 'pause' | 'remove' | 'replay' | 'rotate'

/** The questions that may be asked of one subscription, in the list and on its own page. */
export function ActionDialogs({
  what,
  view,
  onRemoved,
  onClose,
}: {
  what: DialogKind
  view: SubscriptionView
  /** It is gone; the list reads itself anew. */
  onRemoved?: () => void
  onClose: () => void
}) {
  switch (what) {
    case 'test':
      return <TestDialog view={view} onClose={onClose} />
    case 'replay':
      return <ReplayDialog view={view} onClose={onClose} />
    case 'rotate':
      return <RotateDialog view={view} onClose={onClose} />
    case 'pause':
      return <PauseDialog view={view} onClose={onClose} />
    case 'remove':
      return <RemoveDialog view={view} onRemoved={onRemoved} onClose={onClose} />
  }
}

function PauseDialog({ view, onClose }: { view: SubscriptionView; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const changed = useSubscriptionChanged()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    setFailure(null)
    try {
      changed(await call('subscriptions.pause', { params: { id: view.id } }))
      notify.success(t('pausedNotice', { name: view.name }))
      onClose()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      width={440}
      title={t('pauseTitle')}
      okText={t('pause')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: busy }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      {failure !== null && <FormAlert error={failure} />}
      <p className={css.text} dir="auto">
        {t('pauseText', { name: view.name, cap: formatNumber(view.backlogCap) })}
      </p>
    </Modal>
  )
}

function RemoveDialog({
  view,
  onRemoved,
  onClose,
}: {
  view: SubscriptionView
  onRemoved: (() => void) | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('subscriptions')
  const removed = useSubscriptionRemoved()
  return (
    <ConfirmTyped
      open
      title={t('removeTitle')}
      expected={view.name}
      confirmText={t('remove')}
      onCancel={onClose}
      onConfirm={async () => {
        await call('subscriptions.remove', { params: { id: view.id } })
        notify.success(t('removed', { name: view.name }))
        onClose()
        onRemoved?.()
        removed(view.id)
      }}
    >
      <ul className={css.effects}>
        <li>{t('removeStops')}</li>
        {view.backlog > 0 && <li>{t('removeBacklog', { count: view.backlog, text: formatNumber(view.backlog) })}</li>}
        {view.deadLetters > 0 && (
          <li>{t('removeDead', { count: view.deadLetters, text: formatNumber(view.deadLetters) })}</li>
        )}
        {view.target.kind === 'mqtt' && <li>{t('removeAccount')}</li>}
      </ul>
    </ConfirmTyped>
  )
}
