import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useComposedText } from '../../lib/composition.ts'
import { errorFacts } from '../../lib/errors.ts'
import { entryAt, menuName } from '../../lib/menu.ts'
import { useSession } from '../../lib/session.ts'
import { type Command, commandsFor } from './commands.ts'
import { findNamed, findPages, pagesOf } from './page-search.ts'
import css from './palette.module.css'
import { KindIcon } from './palette-icons.tsx'
import { forgetPlaces, type RecentPlace, recentPlaces, rememberPlace } from './recent.ts'
import { useFound } from './use-found.ts'

interface Place extends RecentPlace {
  /** What happens instead of going somewhere. */
  run?: (() => void) | undefined
}

interface Section {
  key: string
  title: string
  places: Place[]
  /** The server knows more of them. */
  more?: boolean
}

/** Looks everywhere: pages of the menu, and every kind of object the caller may see. Typing, arrows, Enter, Escape. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('palette')
  const navigate = useNavigate()
  const user = useSession(s => s.token?.id ?? '')
  const menus = useSession(s => s.menus)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const typed = useComposedText(query, text => {
    setQuery(text)
    setAt(0)
  })
  const [recent, setRecent] = useState(() => recentPlaces(user))
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const { groups, waiting, error, retry } = useFound(query)

  // The focus comes with the field, before somebody can see it and type, and goes back to where it was.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    input.current?.focus()
    return () => before?.focus?.({ preventScroll: true })
  }, [])

  const pages = useMemo(() => pagesOf(menus ?? []), [menus])
  const commands = useMemo(
    () =>
      commandsFor(page => {
        const entry = entryAt(menus ?? [], page)
        return entry ? menuName(entry) : ''
      }),
    [menus, t],
  )
  const sections = useMemo<Section[]>(() => {
    const asPlace = (page: (typeof pages)[number]): RecentPlace => ({
      kind: 'page',
      title: menuName(page),
      subtitle: page.above.map(menuName).join(' / '),
      link: page.path,
    })
    const found = (kind: Command['kind'], shown: readonly Command[]): Section => ({
      key: kind,
      title: t(`kind.${kind}`),
      places: shown
        .filter(command => command.kind === kind)
        .map(({ title, about, link, run }) => ({ kind, title, subtitle: about, link, run })),
    })
    const named = findNamed(commands, query, 12)
    const all: Section[] =
      query.trim() === ''
        ? [
            { key: 'recent', title: t('recent'), places: recent },
            { key: 'page', title: t('kind.page'), places: pages.map(asPlace) },
            found('action', commands),
            found('help', commands),
          ]
        : [
            { key: 'page', title: t('kind.page'), places: findPages(pages, query).map(asPlace) },
            found('action', named),
            found('setting', named),
            ...groups.map(group => ({
              key: group.kind,
              title: t(`kind.${group.kind}`, { defaultValue: group.title }),
              places: group.items.map(item => ({ ...item, kind: group.kind })),
              more: group.more,
            })),
            found('help', named),
          ]
    return all.filter(section => section.places.length > 0)
  }, [query, recent, pages, groups, commands, t])
  const places = sections.flatMap(section => section.places)
  const current = Math.min(at, places.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  const go = (place: Place | undefined) => {
    if (!place) return
    if (place.run) {
      onClose()
      return place.run()
    }
    if (place.link.startsWith('new:')) {
      onClose()
      return void window.open(place.link.slice(4), '_blank', 'noopener')
    }
    rememberPlace(user, { kind: place.kind, title: place.title, subtitle: place.subtitle, link: place.link })
    onClose()
    void navigate(place.link)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const count = places.length
    if (event.key === 'Escape') {
      if (query === '') onClose()
      else setQuery('')
    } else if (event.key === 'ArrowDown') setAt(count === 0 ? 0 : (current + 1) % count)
    else if (event.key === 'ArrowUp') setAt(count === 0 ? 0 : (current - 1 + count) % count)
    else if (event.key === 'Enter') go(places[current])
    // Everything is reached by arrows: the focus does not leave the field.
    else if (event.key !== 'Tab') return
    event.preventDefault()
    event.stopPropagation()
  }
  let index = -1
  return createPortal(
    <div
      className={css.ground}
      data-popup=""
      onPointerDown={event => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={css.panel} role="dialog" aria-modal="true" aria-label={t('title')} data-testid="palette">
        <div className={css.top}>
          <input
            ref={input}
            className={css.input}
            role="combobox"
            aria-label={t('title')}
            aria-expanded={places.length > 0}
            aria-controls={`${id}list`}
            aria-autocomplete="list"
            aria-activedescendant={places.length > 0 ? `${id}${current}` : undefined}
            placeholder={t('placeholder')}
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            {...typed}
            onKeyDown={onKeyDown}
          />
          <kbd className={css.key}>Esc</kbd>
        </div>
        <div className={css.wait} data-on={waiting} />
        <div ref={list} id={`${id}list`} className={css.list} role="listbox" aria-label={t('results')} tabIndex={-1}>
          {sections.map(section => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
            <div key={section.key} role="group" aria-label={section.title}>
              <div className={css.head} aria-hidden="true">
                {section.title}
                {section.more && <span>{t('more')}</span>}
              </div>
              {section.places.map(place => {
                index += 1
                const mine = index
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's, as in every combobox
                  <div
                    key={`${section.key} ${place.link} ${place.title}`}
                    id={`${id}${mine}`}
                    role="option"
                    aria-selected={mine === current}
                    tabIndex={-1}
                    className={css.option}
                    onPointerMove={() => setAt(mine)}
                    onClick={() => go(place)}
                  >
                    <KindIcon kind={place.kind} link={place.link} />
                    <span className={css.name} title={place.title} dir="auto">
                      {place.title}
                    </span>
                    <span className={css.about} title={place.subtitle} dir="auto">
                      {place.subtitle}
                    </span>
                  </div>
                )
              })}
            </div>
          ))}
        </div>
        <p className={css.note} role="status">
          {error
            ? errorFacts(error).message
            : places.length === 0 && query.trim() !== '' && !waiting
              ? t('nothing', { query: query.trim() })
              : ''}
        </p>
        <div className={css.foot}>
          <span>
            <kbd className={css.key}>↑</kbd> <kbd className={css.key}>↓</kbd> {t('move')}
          </span>
          <span>
            <kbd className={css.key}>Enter</kbd> {t('open')}
          </span>
          {error !== null && (
            <button type="button" className={css.link} onClick={retry}>
              {t('retry')}
            </button>
          )}
          {query === '' && recent.length > 0 && (
            <button
              type="button"
              className={css.link}
              onClick={() => {
                forgetPlaces(user)
                setRecent([])
                input.current?.focus()
              }}
            >
              {t('forget')}
            </button>
          )}
        </div>
      </div>
    </div>,
    document.body,
  )
}
