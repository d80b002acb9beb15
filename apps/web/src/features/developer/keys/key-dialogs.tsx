import type { ApiKeyView, ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import css from '../developer.module.css'
import { useKeysChanged } from '../hooks.ts'
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
  const changed = useKeysChanged()
  const [overlap, setOverlap] = useState<number>(24)
  const params = { id: apiKey.id }
  const name = apiKey.name
  const done = (text: string) => {
    changed()
    notify.success(text)
    onClose()
  }
  if (question === 'revoke')
    return (
      <ConfirmTyped
        open
        title={t('keys.revokeTitle', { name })}
        expected={name}
        confirmText={t('keys.revoke')}
        onCancel={onClose}
        onConfirm={async () => {
          await call('apiKeys.revoke', { params })
          done(t('keys.revoked'))
        }}
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
        // The text of the new key takes the place of this question.
        run={async () => onRotated(await call('apiKeys.rotate', { params, body: { overlapHours: overlap } }))}
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
  const run = {
    endOverlap: async () => {
      await call('apiKeys.endOverlap', { params })
      done(t('keys.overlapEnded'))
    },
    takeOver: async () => {
      await call('apiKeys.takeOver', { params })
      done(t('keys.takenOver'))
    },
    remove: async () => {
      await call('apiKeys.remove', { params })
      done(t('keys.removed'))
    },
  }[question]
  return (
    <ConfirmDialog
      title={t(`keys.${question}Title`, { name })}
      okText={t(`keys.${question}`)}
      danger={question !== 'takeOver'}
      run={run}
      onClose={onClose}
    >
      <p className={css.text}>{t(`keys.${question}Text`, { prefix: apiKey.previous?.prefix ?? '' })}</p>
    </ConfirmDialog>
  )
}
