import type { SavedView } from '@thingwright/contracts/saved-views.contract'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { MenuButton } from '../popup/menu-button.tsx'
import { ErrorState } from '../states.tsx'
import css from './list-page.module.css'
import { useChangeView, useSavedViews, type ViewChange } from './saved-views-api.ts'
import { writeDefaultView } from './use-default-view.ts'
import type { ChangePreferences, ListPreferences } from './use-list-preferences.ts'

/** Filters, order, columns and density under a name: one's own, and those that somebody shared in the company. */
export function SavedViews({
  list,
  preferences,
  change,
  query,
  onApply,
}: {
  list: string
  preferences: ListPreferences
  change: ChangePreferences
  /** The list's part of the address. */
  query: string
  onApply: (query: string) => void
}) {
  const { t } = useTranslation('list-page')
  const [name, setName] = useState('')
  const views = useSavedViews(list)
  const act = useChangeView(list)
  const { columns, widths, density } = preferences
  const shown = { query, columns, widths, density }
  const run = (what: ViewChange, after?: () => void) => void act.run(what).then(done => done && after?.())
  const save = () => {
    const trimmed = name.trim()
    if (trimmed === '' || act.pending) return
    const same = views.data?.find(view => view.mine && view.name === trimmed)
    const done = () => {
      setName('')
      notify.success(t('viewSaved'))
    }
    if (same) run({ kind: 'update', view: same, body: { settings: shown } }, done)
    else run({ kind: 'create', body: { list, name: trimmed, settings: shown } }, done)
  }
  const open = ({ settings }: SavedView) => {
    change({ columns: settings.columns, widths: settings.widths, density: settings.density })
    onApply(settings.query)
  }
  const setDefault = (view: SavedView) => {
    const next = view.isDefault ? null : view
    run({ kind: 'default', viewId: next?.id ?? null }, () => writeDefaultView(list, next?.settings ?? null))
  }
  const items = views.data ?? []
  const groups = [
    { title: t('viewsMine'), views: items.filter(view => view.mine) },
    { title: t('viewsShared'), views: items.filter(view => !view.mine) },
  ].filter(group => group.views.length > 0)
  return (
    <div className={css.views}>
      {views.isError && <ErrorState error={views.error} onRetry={() => void views.refetch()} />}
      {views.isSuccess && items.length === 0 && <p className={css.hint}>{t('viewsEmpty')}</p>}
      {groups.map(group => (
        <section key={group.title} aria-label={group.title}>
          <h3 className={css.viewHead}>{group.title}</h3>
          {group.views.map(view => (
            <div key={view.id} className={css.viewRow}>
              <button type="button" className={css.viewName} title={view.name} onClick={() => open(view)}>
                <span dir="auto">{view.name}</span>
                <small>
                  {[
                    view.isDefault ? t('viewIsDefault') : '',
                    view.mine ? (view.shared ? t('viewIsShared') : '') : t('viewBy', { name: view.ownerName }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </button>
              <MenuButton
                label={t('viewMenu', { name: view.name })}
                className={css.fold}
                items={[
                  {
                    key: 'default',
                    label: t(view.isDefault ? 'viewNotDefault' : 'viewDefault'),
                    onSelect: () => setDefault(view),
                  },
                  ...(view.mine
                    ? [
                        {
                          key: 'replace',
                          label: t('viewReplace'),
                          onSelect: () => run({ kind: 'update', view, body: { settings: shown } }),
                        },
                        {
                          key: 'share',
                          label: t(view.shared ? 'viewUnshare' : 'viewShare'),
                          onSelect: () => run({ kind: 'update', view, body: { shared: !view.shared } }),
                        },
                        {
                          key: 'remove',
                          label: t('viewRemove'),
                          danger: true,
                          onSelect: () => {
                            if (view.isDefault) writeDefaultView(list, null)
                            run({ kind: 'remove', view })
                          },
                        },
                      ]
                    : []),
                ]}
              >
                <svg width="14" height="14" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
                  <path d="M3 6.8a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4zm5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4zm5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4z" />
                </svg>
              </MenuButton>
            </div>
          ))}
        </section>
      ))}
      <div className={css.popFoot}>
        <Input
          value={name}
          maxLength={64}
          placeholder={t('viewName')}
          aria-label={t('viewName')}
          onChange={event => setName(event.target.value)}
          onPressEnter={save}
        />
        <Button type="link" loading={act.pending} disabled={name.trim() === ''} onClick={save}>
          {t('viewSave')}
        </Button>
      </div>
    </div>
  )
}
