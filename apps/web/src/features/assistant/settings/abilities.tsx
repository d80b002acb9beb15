import type { ToolView } from '@thingwright/contracts/assistant.contract'
import { TOOL_CLASSES } from '@thingwright/contracts/assistant.words'
import { Input, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { rightName } from '../../../ui/rights/right-words.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { useTools } from './hooks.ts'
import css from './settings.module.css'

/** What the assistant can do for the person, by class, with the right that each needs and how to ask for it. */
export function Abilities() {
  const { t } = useTranslation('settings')
  const tools = useTools()
  const [wanted, setWanted] = useState('')
  if (tools.isError)
    return (
      <Panel>
        <ErrorState error={tools.error} onRetry={() => void tools.refetch()} />
      </Panel>
    )
  if (!tools.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 10 }} />
      </Panel>
    )
  const text = wanted.trim().toLowerCase()
  const shown = tools.data.items.filter(tool =>
    [tool.title, tool.name, ...tool.examples].some(each => each.toLowerCase().includes(text)),
  )
  return (
    <Stack>
      <Panel title={t('abilities.title')} hint={t('abilities.hint')}>
        <Input.Search
          className={css.search ?? ''}
          allowClear
          aria-label={t('abilities.search')}
          placeholder={t('abilities.search')}
          onChange={event => setWanted(event.target.value)}
        />
        <p className={css.lead}>
          {t('abilities.mcp')} <CopyId value={`${window.location.origin}/mcp`} />
        </p>
      </Panel>
      {shown.length === 0 && (
        <Panel>
          {text === '' ? (
            <EmptyState title={t('abilities.empty')} description={t('abilities.emptyText')} />
          ) : (
            <EmptyState title={t('abilities.notFound')} />
          )}
        </Panel>
      )}
      {TOOL_CLASSES.map(of => {
        const some = shown.filter(tool => tool.class === of)
        return some.length === 0 ? null : <ClassPanel key={of} of={of} tools={some} />
      })}
    </Stack>
  )
}

function ClassPanel({ of, tools }: { of: (typeof TOOL_CLASSES)[number]; tools: readonly ToolView[] }) {
  const { t } = useTranslation('settings')
  const { t: words } = useTranslation('rights')
  return (
    <Panel flush title={`${t(`class.${of}`)} (${tools.length})`} hint={t(`classHelp.${of}`)}>
      <table className={css.tools} data-testid={`tools-${of}`}>
        <thead>
          <tr>
            <th scope="col">{t('abilities.tool')}</th>
            <th scope="col">{t('abilities.ask')}</th>
            <th scope="col">{t('abilities.right')}</th>
          </tr>
        </thead>
        <tbody>
          {tools.map(tool => (
            <tr key={tool.name}>
              <th scope="row">
                {tool.title}
                <code>{tool.name}</code>
              </th>
              <td>
                {tool.examples.slice(0, 2).map(example => (
                  <div key={example}>{example}</div>
                ))}
              </td>
              <td>{tool.permission.includes(':') ? rightName(words, tool.permission) : t('abilities.everybody')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
