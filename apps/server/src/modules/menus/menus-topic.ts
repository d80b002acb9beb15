import type { LiveTopic } from '../../lib/live-topic.ts'

/** The installation's menu changed, for everybody. */
export const MENUS_TOPIC: LiveTopic = {
  pattern: 'menus',
  nameFor: () => 'menus',
  hears: publish => ({ 'menu.changed': () => publish('menus', 'menus', { changed: true }) }),
}
