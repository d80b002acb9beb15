import type { LibraryEntry } from '@thingwright/contracts/product-library.contract'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Button, Drawer, Input } from 'antd'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { PRODUCT_LISTS } from '../hooks.ts'
import css from './library.module.css'
import { LibraryPreview } from './library-preview.tsx'

/** Ready-made products: found by text or category, looked at, and made one's own with one click. */
export function LibraryDrawer({
  groupId,
  onInstalled,
  onClose,
}: {
  groupId: string | null
  onInstalled: (product: ProductDetail) => void
  onClose: () => void
}) {
  const { t } = useTranslation('library')
  const language = locale()
  const [q, setQ] = useState('')
  const [category, setCategory] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const act = useAct('productLibrary.install', {
    touches: PRODUCT_LISTS,
    done: product => {
      notify.success(t('installed', { name: product.name }))
      onInstalled(product)
    },
  })
  const [busy, setBusy] = useState<string | null>(null)
  const text = useDeferredValue(q.trim())
  const found = useRead('productLibrary.list', { query: text ? { q: text } : {} }, { keep: true, staleTime: 300_000 })
  const items = found.data?.items ?? []
  const categories = useMemo(
    () => [...new Set((found.data?.items ?? []).map(entry => entry.category[language]))],
    [found.data, language],
  )
  const listed = items.filter(entry => category === null || entry.category[language] === category)
  const install = async (entry: LibraryEntry) => {
    setBusy(entry.key)
    await act.run({ params: { key: entry.key }, body: { groupId } })
    setBusy(null)
  }
  const open = items.find(entry => entry.key === shown)
  return (
    <Drawer open size={960} title={t('title')} onClose={onClose}>
      {open ? (
        <LibraryPreview
          entry={open}
          busy={busy === open.key}
          onInstall={() => void install(open)}
          onBack={() => setShown(null)}
        />
      ) : (
        <div className={css.stack}>
          <p className={css.hint}>{t('lead')}</p>
          <Input.Search
            allowClear
            autoFocus
            value={q}
            aria-label={t('search')}
            placeholder={t('search')}
            onChange={event => setQ(event.target.value)}
          />
          <div className={css.categories} role="toolbar" aria-label={t('category')}>
            {[null, ...categories].map(each => (
              <Button
                key={each ?? ''}
                size="small"
                type={category === each ? 'primary' : 'default'}
                aria-pressed={category === each}
                onClick={() => setCategory(each)}
              >
                {each ?? t('all')}
              </Button>
            ))}
          </div>
          {found.isError && !found.data ? (
            <ErrorState error={found.error} onRetry={() => void found.refetch()} />
          ) : found.data && listed.length === 0 ? (
            <EmptyState title={t('none')} description={t('noneText')} />
          ) : (
            <ul className={css.cards}>
              {listed.map(entry => (
                <li key={entry.key} className={css.card}>
                  <button type="button" className={css.open} onClick={() => setShown(entry.key)}>
                    <b dir="auto">{entry.name[language]}</b>
                    <span>{entry.description[language]}</span>
                  </button>
                  <div className={css.foot}>
                    <span className={css.marks}>
                      <span>{t(`link.${entry.linkType}`, { defaultValue: entry.linkType })}</span>
                      <span>{t(`format.${entry.format}`)}</span>
                      <span>{t('properties', { count: entry.properties })}</span>
                    </span>
                    <Button
                      size="small"
                      type="primary"
                      ghost
                      loading={busy === entry.key}
                      aria-label={t('installNamed', { name: entry.name[language] })}
                      onClick={() => void install(entry)}
                    >
                      {t('install')}
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Drawer>
  )
}
