import type { ApiKeyView, ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import css from '../developer.module.css'
import type { KeyQuestion } from './keys-page.tsx'

const OVERLAPS = [0, 1, 24, 168] as const

/** What is asked before a key is rotated, ended, taken over or removed. */
export function KeyDialog({
  question,
  apiKey,
  onClose,
  onRotated,
}: {
  question: KeyQuestion
  apiKey: ApiKeyView
  onClose: () => void
  onRotated: (apiKey: ApiKeyWithSecret) => void
}) {
  const { t } = useTranslation('developer')
  const [overlap, setOverlap] = useState<number>(24)
  const params = { id: apiKey.id }
  const name = apiKey.name
  const told = (said: 'revoked' | 'overlapEnded' | 'takenOver' | 'removed') => ({
    done: () => {
      notify.success(t(`keys.${said}`))
      onClose()
    },
  })
  const revoke = useAct('apiKeys.revoke', told('revoked'))
  // The text of the new key takes the place of this question.
  const rotate = useAct('apiKeys.rotate', { done: onRotated })
  const others = {
    endOverlap: useAct('apiKeys.endOverlap', told('overlapEnded')),
    takeOver: useAct('apiKeys.takeOver', told('takenOver')),
    remove: useAct('apiKeys.remove', told('removed')),
  }
  if (question === 'revoke')
    return (
      <ConfirmTyped
        open
        title={t('keys.revokeTitle', { name })}
        expected={name}
        confirmText={t('keys.revoke')}
        onCancel={onClose}
        onConfirm={() => revoke.send({ params })}
      >
        <p className={css.text}>{t('keys.revokeText')}</p>
      </ConfirmTyped>
    )
  if (question === 'rotate')
    return (
      <ConfirmDialog
        title={t('keys.rotateTitle', { name })}
        okText={t('keys.rotate')}
        onClose={onClose}
        run={() => rotate.send({ params, body: { overlapHours: overlap } })}
      >
        <p className={css.text}>{t('keys.rotateText')}</p>
        <Segmented
          aria-label={t('keys.overlap')}
          value={overlap}
          options={OVERLAPS.map(value => ({ value, label: t(`keys.overlaps.${value}`) }))}
          onChange={value => setOverlap(value)}
        />
      </ConfirmDialog>
    )
  return (
    <ConfirmDialog
      title={t(`keys.${question}Title`, { name })}
      okText={t(`keys.${question}`)}
      danger={question !== 'takeOver'}
      run={() => others[question].send({ params })}
      onClose={onClose}
    >
      <p className={css.text}>{t(`keys.${question}Text`, { prefix: apiKey.previous?.prefix ?? '' })}</p>
    </ConfirmDialog>
  )
}
