import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../lib/i18n.ts'
import { MenuButton } from '../../ui/popup/menu-button.tsx'
import css from './header.module.css'
import { showInHeader, useHeaderDialog } from './header-dialog.ts'
import { HelpIcon, SearchIcon } from './icons.tsx'

const withTexts = <T,>(load: () => Promise<T>) => Promise.all([load(), loadTexts('palette')]).then(([module]) => module)
const Palette = lazy(async () => {
  const [module, { COMMAND_TEXTS }] = await Promise.all([
    import('../palette/palette.tsx'),
    import('../palette/commands.ts'),
  ])
  await loadTexts(...COMMAND_TEXTS)
  return { default: module.Palette }
})
const NewsSheet = lazy(async () => ({
  default: (await withTexts(() => import('../palette/news-sheet.tsx'))).NewsSheet,
}))
const ShortcutSheet = lazy(async () => ({
  default: (await withTexts(() => import('../palette/shortcut-sheet.tsx'))).ShortcutSheet,
}))

/** What areas put into the header: `features/<area>/header.tsx` exports `HeaderItem`, small, its drawer downloaded later. */
const items = import.meta.glob('../../features/*/header.tsx', { eager: true, import: 'HeaderItem' }) as Record<
  string,
  ComponentType
>
/** From left to right; an area that is not named stands before these. */
const ORDER = ['tasks', 'notifications']
const placeOf = (file: string) => ORDER.indexOf(file.split('/').at(-2)!)
const headerItems = Object.entries(items).sort(([a], [b]) => placeOf(a) - placeOf(b))

const DOCUMENTS = '/alonePage/ApiInterfaceOpen'
const openBeside = (address: string) => void window.open(address, '_blank', 'noopener')

const TYPING = 'input, textarea, select, [contenteditable=true], [role=combobox]'

/**
 * The header's parts that only the console has: the search in the middle, and at the right what areas bring and help.
 * They are drawn from inside the console (its query cache, its component library) into places the header keeps free.
 */
export function ConsoleHeader() {
  const { t } = useTranslation('shell')
  const open = useHeaderDialog(s => s.open)
  const [slots, setSlots] = useState<{ middle: HTMLElement; items: HTMLElement } | null>(null)
  useEffect(() => {
    const middle = document.getElementById('tw-header-middle')
    const right = document.getElementById('tw-header-items')
    if (middle && right) setSlots({ middle, items: right })
  }, [])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const target = event.target as HTMLElement
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault()
        showInHeader(useHeaderDialog.getState().open === 'search' ? null : 'search')
      } else if (event.key === '?' && !event.ctrlKey && !event.metaKey && !target.closest?.(TYPING)) {
        event.preventDefault()
        showInHeader('keys')
      }
    }
    // Before those who stop keys on their way (open menus, dialogs).
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [])
  const close = () => showInHeader(null)
  return (
    <>
      {slots &&
        createPortal(
          <button
            type="button"
            className={css.searchBox}
            aria-keyshortcuts="Control+K"
            aria-haspopup="dialog"
            data-testid="open-search"
            onClick={() => showInHeader('search')}
            onPointerEnter={() => void import('../palette/palette.tsx')}
          >
            <SearchIcon />
            <span>{t('header.search')}</span>
            <kbd>Ctrl K</kbd>
          </button>,
          slots.middle,
        )}
      {slots &&
        createPortal(
          <>
            {headerItems.map(([file, Item]) => (
              <Suspense key={file}>
                <Item />
              </Suspense>
            ))}
            <MenuButton
              label={t('header.help')}
              className={css.tool}
              items={[
                { key: 'start', label: t('header.gettingStarted'), onSelect: () => openBeside(`${DOCUMENTS}#start`) },
                { key: 'docs', label: t('header.docs'), onSelect: () => openBeside(DOCUMENTS) },
                { key: 'keys', label: t('header.shortcuts'), onSelect: () => showInHeader('keys') },
                { key: 'news', label: t('header.news'), onSelect: () => showInHeader('news') },
              ]}
            >
              <HelpIcon />
            </MenuButton>
          </>,
          slots.items,
        )}
      <Suspense>
        {open === 'search' && <Palette onClose={close} />}
        {open === 'keys' && <ShortcutSheet onClose={close} />}
        {open === 'news' && <NewsSheet onClose={close} />}
      </Suspense>
    </>
  )
}
