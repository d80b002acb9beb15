import { Button, Dropdown, Select, Tooltip } from 'antd'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/react/shallow'
import { COMMANDS, type Command, type CommandName } from './commands.ts'
import css from './editor.module.css'
import { ToolIcon } from './icons.tsx'
import type { EditorStore } from './store.ts'

const ROWS: readonly (readonly CommandName[])[] = [
  ['undo', 'redo'],
  ['left', 'centre', 'right', 'top', 'middle', 'bottom', 'spreadX', 'spreadY'],
  ['group', 'ungroup', 'front', 'backward'],
  ['copy', 'painter', 'remove', 'grid'],
]
const MORE = ['selectAll', 'forward', 'back', 'lock', 'hide'] as const
const NAMES: readonly CommandName[] = [...ROWS.flat(), ...MORE]
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2]

/** What can be done with the chosen elements, each with its key. */
export function Toolbar({ store, mayWrite, onFit }: { store: EditorStore; mayWrite: boolean; onFit(): void }) {
  const { t } = useTranslation('cloud-pages')
  // Not everything of the store: while elements are dragged nothing here is different.
  const zoom = store(state => state.zoom)
  const able = store(useShallow(state => NAMES.filter(name => COMMANDS[name].able(state))))
  const button = (name: CommandName) => {
    const command: Command = COMMANDS[name]
    const label = command.key ? `${t(`commands.${name}`)} (${command.key})` : t(`commands.${name}`)
    return (
      <Tooltip key={name} title={label}>
        <Button
          type="text"
          size="small"
          aria-label={t(`commands.${name}`)}
          disabled={!mayWrite || !able.includes(name)}
          icon={<ToolIcon name={name} />}
          onClick={() => command.run(store)}
        />
      </Tooltip>
    )
  }
  return (
    <div className={css.tools} role="toolbar" aria-label={t('toolbar')}>
      {ROWS.map((row, i) => (
        <Fragment key={row[0]}>
          {i > 0 && <hr />}
          {row.map(button)}
        </Fragment>
      ))}
      <hr />
      <Select
        size="small"
        aria-label={t('zoom')}
        style={{ width: 88 }}
        value={zoom}
        labelRender={() => `${Math.round(zoom * 100)}%`}
        options={[
          ...ZOOMS.map(zoom => ({ value: zoom, label: `${zoom * 100}%` })),
          { value: 0, label: t('fitWindow') },
        ]}
        onChange={(zoom: number) => (zoom === 0 ? onFit() : store.setState({ zoom }))}
      />
      <Dropdown
        menu={{
          items: MORE.map(name => ({
            key: name,
            label: `${t(`commands.${name}`)}${COMMANDS[name].key ? ` (${COMMANDS[name].key})` : ''}`,
            disabled: !mayWrite || !able.includes(name),
          })),
          onClick: ({ key }) => COMMANDS[key as CommandName].run(store),
        }}
      >
        <Button type="text" size="small">
          {t('more')}
        </Button>
      </Dropdown>
    </div>
  )
}
