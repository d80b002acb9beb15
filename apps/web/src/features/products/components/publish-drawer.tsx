import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Button, Drawer, Input, Skeleton } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { PRODUCT_LISTS, useProductChanged } from '../hooks.ts'
import css from '../products.module.css'
import { breakingCount, ImpactView } from './impact-view.tsx'

/**
 * What publishing would change, whom it touches and what relies on it, from the server; breaking changes are agreed to
 * one by hand. With `restore` the same for an earlier version, which is published again under the next number.
 */
export function PublishDrawer({
  product,
  restore = null,
  onClose,
}: {
  product: ProductDetail
  /** Number of the version to go back to. */
  restore?: number | null
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const [agreed, setAgreed] = useState(false)
  const [note, setNote] = useState('')
  const noteId = useId()
  const impact = useRead(
    'thingModels.impact',
    { params: { id: product.id }, query: restore === null ? {} : { to: String(restore) } },
    { about: product.version, gcTime: 0 },
  )
  const first = product.modelVersion === 0
  const breaking = impact.data ? breakingCount(impact.data, first) : 0
  const told = {
    touches: PRODUCT_LISTS,
    done: (next: ProductDetail) => {
      changed(next)
      notify.success(t('publishedVersion', { name: next.name, version: next.modelVersion }))
      onClose()
    },
  }
  const publishing = useAct('thingModels.publish', told)
  const restoring = useAct('thingModels.rollBack', told)
  const publish = async () => {
    const body = { version: product.version, ...(note.trim() === '' ? {} : { note: note.trim() }) }
    if (restore === null) await publishing.run({ params: { id: product.id }, body })
    else await restoring.run({ params: { id: product.id, number: restore }, body })
  }
  return (
    <Drawer
      open
      size={560}
      title={restore === null ? t('publishTitle', { name: product.name }) : t('restoreTitle', { number: restore })}
      onClose={onClose}
      footer={
        <div className={css.drawerFoot}>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="primary"
            danger={breaking > 0}
            loading={publishing.pending || restoring.pending}
            disabled={!impact.data || (breaking > 0 && !agreed)}
            onClick={() => void publish()}
          >
            {restore === null ? t('publish') : t('restore')}
          </Button>
        </div>
      }
    >
      {impact.isError ? (
        <ErrorState error={impact.error} onRetry={() => void impact.refetch()} />
      ) : !impact.data ? (
        <Skeleton active />
      ) : (
        <>
          <p className={css.lead}>
            {t(restore === null ? 'publishText' : 'restoreText', {
              version: product.modelVersion + 1,
              devices: formatNumber(impact.data.deviceCount),
              number: restore ?? 0,
            })}
          </p>
          {restore !== null && product.modelChanged && <p className={css.lead}>{t('restoreKeepsDraft')}</p>}
          <div className={css.noteField}>
            <label htmlFor={noteId}>{t('versionNote')}</label>
            <Input
              id={noteId}
              value={note}
              maxLength={500}
              placeholder={t('versionNotePlaceholder')}
              onChange={event => setNote(event.target.value)}
            />
          </div>
          <ImpactView impact={impact.data} first={first} agreed={agreed} onAgree={setAgreed} />
        </>
      )}
    </Drawer>
  )
}
