import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useSubscriptionChanged } from '../hooks.ts'
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
  const pause = useAct('subscriptions.pause', {
    notice: false,
    done: reply => {
      changed(reply)
      notify.success(t('pausedNotice', { name: view.name }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={440}
      title={t('pauseTitle')}
      okText={t('pause')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: pause.pending }}
      onOk={() => void pause.run({ params: { id: view.id } })}
      onCancel={onClose}
    >
      {pause.error !== null && <FormAlert error={pause.error} />}
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
  const cache = useCache()
  const remove = useAct('subscriptions.remove', {
    // What is gone is not asked for again.
    own: false,
    touches: ['subscriptions.list'],
    done: () => {
      notify.success(t('removed', { name: view.name }))
      onClose()
      onRemoved?.()
      cache.forget('subscriptions.get', { params: { id: view.id } })
    },
  })
  return (
    <ConfirmTyped
      open
      title={t('removeTitle')}
      expected={view.name}
      confirmText={t('remove')}
      onCancel={onClose}
      onConfirm={() => remove.send({ params: { id: view.id } })}
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
