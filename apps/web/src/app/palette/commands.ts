import type { Operation } from '../../lib/api-client.ts'
import { chooseAppearance, useAppearance } from '../../lib/appearance.ts'
import { changeLocale, locale, text } from '../../lib/i18n.ts'
import { may } from '../../lib/permissions.ts'
import { useSession } from '../../lib/session.ts'
import { signOut } from '../../lib/sign-out.ts'
import { showInHeader } from '../layout/header-dialog.ts'

/** Something that the search everywhere knows by itself: a setting, something to do, something to read. */
export interface Command {
  kind: 'setting' | 'action' | 'help'
  key: string
  title: string
  /** Name of the page it belongs to. */
  about: string
  /** Other words that people look for it with. */
  words: string
  /** Where it leads; `new:` opens beside the console. */
  link: string
  /** What happens instead of going somewhere. */
  run?: () => void
}

/** The texts that name settings: those of the tabs themselves. */
export const COMMAND_TEXTS = ['palette', 'company', 'security', 'developer']

const TABS: { page: string; nameOf: (tab: string) => string; tabs: readonly [key: string, of?: Operation][] }[] = [
  {
    page: '/admin/account',
    nameOf: tab => text(`company:tab.${tab}`),
    tabs: [
      ['profile'],
      ['verification'],
      ['branding'],
      ['data'],
      ['usage'],
      ['support', 'account.setBranding'],
      ['transfer', 'account.setBranding'],
      ['assistant', 'assistant.settings'],
    ],
  },
  {
    page: '/admin/security',
    nameOf: tab => text(`security:tab.${tab}`),
    tabs: [
      ['password'],
      ['contact'],
      ['factors'],
      ['passkeys'],
      ['sessions'],
      ['history'],
      ['policy', 'security.setPolicy'],
      ['sso'],
      ['closing'],
    ],
  },
  {
    page: '/develop/LinkInterface',
    nameOf: tab => text(`developer:tab.${tab}`),
    tabs: [['access'], ['keys', 'apiKeys.list'], ['explorer'], ['errors'], ['calls'], ['clients'], ['sdk']],
  },
]

const ACTIONS: [key: string, page: string, of: Operation, link: string][] = [
  ['addDevice', '/manage/device', 'devices.create', '/manage/device?create=1'],
  ['addProduct', '/manage/product', 'products.create', '/manage/product?create=1'],
  ['uploadFirmware', '/develop/FirmwareUpdate', 'firmware.upload', '/develop/FirmwareUpdate?create=1'],
  ['inviteMember', '/admin/member', 'members.invite', '/admin/member?create=1'],
  ['addRole', '/manage/role', 'roles.create', '/manage/role?create=1'],
  ['addSubscription', '/develop/DataSubscription', 'subscriptions.create', '/develop/DataSubscription?id=new'],
]

const HELP: [key: string, act: string | (() => void)][] = [
  ['start', 'new:/alonePage/ApiInterfaceOpen#start'],
  ['docs', 'new:/alonePage/ApiInterfaceOpen'],
  ['news', () => showInHeader('news')],
  ['keys', () => showInHeader('keys')],
]

const word = (key: string) => text(`palette:command.${key}`)

/** What this person may do and set. @param nameOf the menu's name of a page */
export function commandsFor(nameOf: (page: string) => string): Command[] {
  const { me } = useSession.getState()
  const open = (page: string) => me?.menuPermissions.includes(page) === true
  const allowed = (of: Operation | undefined) => of === undefined || may(me?.permissions, of)
  const settings = TABS.filter(({ page }) => open(page)).flatMap(({ page, nameOf: tabName, tabs }) =>
    tabs
      .filter(([, of]) => allowed(of))
      .map(([tab]): Command => {
        const link = `${page}?tab=${tab}`
        return { kind: 'setting', key: link, title: tabName(tab), about: nameOf(page), words: '', link }
      }),
  )
  const actions = ACTIONS.filter(([, page, of]) => open(page) && allowed(of)).map(
    ([key, page, , link]): Command => ({
      kind: 'action',
      key,
      title: word(key),
      about: nameOf(page),
      words: word(`${key}Words`),
      link,
    }),
  )
  const turned = useAppearance.getState().mode === 'light' ? 'dark' : 'light'
  const here = (key: string, run: () => void): Command => ({
    kind: 'action',
    key,
    title: word(key),
    about: '',
    words: word(`${key}Words`),
    link: '',
    run,
  })
  const help = HELP.map(
    ([key, act]): Command => ({
      kind: 'help',
      key,
      title: word(key),
      about: '',
      words: word(`${key}Words`),
      ...(typeof act === 'string' ? { link: act } : { link: '', run: act }),
    }),
  )
  return [
    ...settings,
    ...actions,
    here(turned, () => chooseAppearance(turned)),
    here('language', () => void changeLocale(locale() === 'zh' ? 'en' : 'zh')),
    here('signOut', () => void signOut()),
    ...help,
  ]
}
