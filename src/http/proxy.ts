import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
import type { Dispatcher } from 'undici'

/** An agent that reaches every origin through one proxy. */
export function createProxyAgent(proxy: string, options: { connect: object; secure: object }): Dispatcher {
  return new ProxyAgent({ uri: proxy, requestTls: options.connect, connect: { ...options.secure } })
}
