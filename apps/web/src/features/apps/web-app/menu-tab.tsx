import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined } from '@ant-design/icons'
import { PORTAL_MENUS_MOST, PORTAL_SECTIONS, type PortalSection } from '@thingwright/contracts/apps.words'
import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { Button, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import css from '../apps.module.css'
import { Preview } from './preview.tsx'

type Menu = WebAppView['menus'][number]

const targetOf = (menu: Menu) => (menu.section === 'page' ? `page/${menu.page ?? ''}` : menu.section)

/** What the portal's menu holds, in which order and under which names, and what opens first. */
export function MenuTab({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const [menus, setMenus] = useState<Menu[]>(app.menus)
  const [chosen, setHome] = useState(app.home)
  const [failure, setFailure] = useState<unknown>(null)
  const update = useAct('webApps.update')
  const pages = useRead(
    'cloudPages.list',
    { query: { limit: 100, state: 'published' } },
    { enabled: useMay('cloudPages.list') },
  )
  // What was the home page and left the menu opens nothing any more: the first entry takes its place.
  const home = menus.some(menu => targetOf(menu) === chosen) || !menus[0] ? chosen : targetOf(menus[0])
  const isDirty = JSON.stringify([menus, home]) !== JSON.stringify([app.menus, app.home])
  const guard = useUnsavedGuard(isDirty && !update.pending)
  const change = (at: number, menu: Menu) => setMenus(menus.map((each, n) => (n === at ? menu : each)))
  const move = (at: number, by: -1 | 1) => {
    const next = [...menus]
    next.splice(at + by, 0, ...next.splice(at, 1))
    setMenus(next)
  }
  const nameOf = (menu: Menu) => menu.zh || menu.en || t(`webApp.section.${menu.section}`)
  const free = PORTAL_SECTIONS.filter(section => section === 'page' || menus.every(menu => menu.section !== section))
  const save = async () => {
    setFailure(null)
    try {
      const bare = menus.map(({ section, page, zh, en }) => ({
        section,
        ...(section === 'page' && page ? { page } : {}),
        ...(zh?.trim() ? { zh: zh.trim() } : {}),
        ...(en?.trim() ? { en: en.trim() } : {}),
      }))
      await update.send({ params: { id: app.id }, body: { menus: bare, home, version: app.version } })
      notify.success(t('saved'))
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <div className={css.two}>
      <Panel title={t('webApp.tab.menus')} hint={t('webApp.menusHint')}>
        {failure !== null && <FormAlert error={failure} />}
        {menus.map((menu, at) => (
          <div key={`${at}-${menu.section}`} className={css.menuRow}>
            <span className={css.menuKind}>{t(`webApp.section.${menu.section}`)}</span>
            {menu.section === 'page' && (
              <Select
                aria-label={t('webApp.pageOf', { no: at + 1 })}
                style={{ width: 160 }}
                placeholder={t('webApp.choosePage')}
                disabled={!mayWrite}
                {...(menu.page ? { value: menu.page } : {})}
                options={(pages.data?.items ?? []).map(page => ({ value: page.suffix, label: page.name }))}
                onChange={page => change(at, { ...menu, page })}
              />
            )}
            <Input
              aria-label={t('webApp.zhOf', { no: at + 1 })}
              placeholder={t('webApp.zhName')}
              className={css.menuName ?? ''}
              maxLength={16}
              disabled={!mayWrite}
              value={menu.zh ?? ''}
              onChange={event => change(at, { ...menu, zh: event.target.value })}
            />
            <Input
              aria-label={t('webApp.enOf', { no: at + 1 })}
              placeholder={t('webApp.enName')}
              className={css.menuName ?? ''}
              maxLength={24}
              disabled={!mayWrite}
              value={menu.en ?? ''}
              onChange={event => change(at, { ...menu, en: event.target.value })}
            />
            {mayWrite && (
              <span className={css.menuTools}>
                <Button
                  type="text"
                  aria-label={t('webApp.up', { no: at + 1 })}
                  icon={<ArrowUpOutlined aria-hidden />}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                />
                <Button
                  type="text"
                  aria-label={t('webApp.down', { no: at + 1 })}
                  icon={<ArrowDownOutlined aria-hidden />}
                  disabled={at === menus.length - 1}
                  onClick={() => move(at, 1)}
                />
                <Button
                  type="text"
                  aria-label={t('webApp.drop', { no: at + 1 })}
                  icon={<DeleteOutlined aria-hidden />}
                  disabled={menus.length === 1}
                  onClick={() => setMenus(menus.filter((_, n) => n !== at))}
                />
              </span>
            )}
          </div>
        ))}
        {mayWrite && menus.length < PORTAL_MENUS_MOST && (
          <div className={css.menuRow}>
            <Select<PortalSection | null>
              aria-label={t('webApp.add')}
              style={{ width: 200 }}
              value={null}
              placeholder={t('webApp.add')}
              options={free.map(value => ({ value, label: t(`webApp.section.${value}`) }))}
              onChange={section => section && setMenus([...menus, { section }])}
            />
          </div>
        )}
        <div className={css.menuRow}>
          <label htmlFor="portal-home">{t('webApp.home')}</label>
          <Select
            id="portal-home"
            style={{ width: 200 }}
            disabled={!mayWrite}
            value={home}
            options={menus.map(menu => ({ value: targetOf(menu), label: nameOf(menu) }))}
            onChange={setHome}
          />
        </div>
        {mayWrite && (
          <div className={css.foot}>
            <Button type="primary" disabled={!isDirty} loading={update.pending} onClick={() => void save()}>
              {t('save')}
            </Button>
          </div>
        )}
        {guard.dialog}
      </Panel>
      <Preview app={{ ...app, menus }} />
    </div>
  )
}
