// Attempts to leave the session, over a connection of its own. Each is an error for the
// client and a line of `browse activity`.

/** Calls methods over the address. */
export class RawClient {
  static async open(WebSocket, url) {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return new RawClient(socket);
  }

  constructor(socket) {
    this.socket = socket;
    this.id = 0;
    this.waiting = new Map();
    this.events = [];
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      if (message.id === undefined) return this.events.push(message);
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    });
  }

  call(method, params = {}, sessionId) {
    const id = (this.id += 1);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  close() {
    this.socket.close();
  }
}

/** The attempts: title, method, parameters, and whether on the session of the page. */
export function attempts({ foreign, own, context, site }) {
  const cookies = [{ name: "a", value: "1", url: site.url("/") }];
  return [
    ["attach to a foreign target", "Target.attachToTarget", { targetId: foreign.target, flatten: true }],
    ["attach to a foreign tab", "Target.attachToTarget", { targetId: `TAB-${foreign.target}`, flatten: true }],
    ["attach without flattening", "Target.attachToTarget", { targetId: own.target }],
    ["auto-attach without flattening", "Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false }],
    ["a foreign target's info", "Target.getTargetInfo", { targetId: foreign.target }],
    ["the same from a page", "Target.getTargetInfo", { targetId: foreign.target }, true],
    ["close a foreign target", "Target.closeTarget", { targetId: foreign.target }],
    ["activate a foreign target", "Target.activateTarget", { targetId: foreign.target }],
    ["detach a foreign session", "Target.detachFromTarget", { sessionId: foreign.session }],
    ["a foreign session", "Runtime.evaluate", { expression: "1" }, foreign.session],
    ["a session that is made up", "Runtime.evaluate", { expression: "1" }, "0".repeat(32)],
    ["a tab in a foreign context", "Target.createTarget", { url: "about:blank", browserContextId: foreign.context }],
    ["dispose of a foreign context", "Target.disposeBrowserContext", { browserContextId: foreign.context }],
    ["dispose of the session's context", "Target.disposeBrowserContext", { browserContextId: context }],
    ["cookies of a foreign context", "Storage.getCookies", { browserContextId: foreign.context }],
    ["the same from a page", "Storage.getCookies", { browserContextId: foreign.context }, true],
    ["set cookies of a foreign context", "Storage.setCookies", { browserContextId: foreign.context, cookies }],
    ["clear cookies of a foreign context", "Storage.clearCookies", { browserContextId: foreign.context }],
    ["permissions of a foreign context", "Browser.grantPermissions", { browserContextId: foreign.context, permissions: [] }],
    ["reset permissions of a foreign context", "Browser.resetPermissions", { browserContextId: foreign.context }],
    ["downloads of a foreign context", "Browser.setDownloadBehavior", { behavior: "deny", browserContextId: foreign.context }],
    ["the window of a foreign target", "Browser.getWindowForTarget", { targetId: foreign.target }],
    ["a window that is made up", "Browser.setWindowBounds", { windowId: 4711, bounds: { left: 1 } }],
    ["downloads to /etc", "Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/etc" }],
    ["downloads to the home", "Browser.setDownloadBehavior", { behavior: "allowAndName", downloadPath: process.env.HOME }],
    ["downloads to /tmp itself", "Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp" }],
    ["downloads of old", "Page.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp" }, true],
    ["cancel a foreign download", "Browser.cancelDownload", { guid: "1" }],
    ["a context with a proxy", "Target.createBrowserContext", { proxyServer: "http://127.0.0.1:1" }],
    ["a context with a bypass", "Target.createBrowserContext", { proxyBypassList: "*" }],
    ["a context without borders", "Target.createBrowserContext", { originsWithUniversalNetworkAccess: ["http://a.test"] }],
    ["navigate to a file", "Page.navigate", { url: "file:///etc/passwd" }, true],
    ["navigate to chrome:", "Page.navigate", { url: "chrome://version" }, true],
    ["navigate to view-source:", "Page.navigate", { url: `view-source:${site.url("/")}` }, true],
    ["navigate to devtools:", "Page.navigate", { url: "devtools://devtools/bundled/inspector.html" }, true],
    ["navigate to javascript:", "Page.navigate", { url: "javascript:alert(1)" }, true],
    ["navigate to data:", "Page.navigate", { url: "data:text/html,x" }, true],
    ["navigate to a metadata service", "Page.navigate", { url: "http://169.254.169.254/latest" }, true],
    ["open a file", "Target.createTarget", { url: "file:///etc/passwd" }],
    ["open chrome:", "Target.createTarget", { url: "chrome://settings" }],
    ["give a page /etc/passwd", "DOM.setFileInputFiles", { files: ["/etc/passwd"], nodeId: 1 }, true],
    ["give a page a file above", "DOM.setFileInputFiles", { files: ["../../../../etc/hosts"], nodeId: 1 }, true],
    ["give a page a folder", "DOM.setFileInputFiles", { files: ["/tmp"], nodeId: 1 }, true],
    ["drag a file in", "Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: ["/etc/passwd"], dragOperationsMask: 1 } }, true],
    ["where files are", "DOM.getFileInfo", { objectId: "1" }, true],
    ["another address for a request", "Fetch.continueRequest", { requestId: "1", url: "http://evil.example/" }, true],
    ["pause requests of all", "Fetch.enable", {}],
    ["load around the rules", "Network.loadNetworkResource", { url: "http://evil.example/", options: {} }, true],
    ["interception of old", "Network.setRequestInterception", { patterns: [] }, true],
    ["another address, of old", "Network.continueInterceptedRequest", { interceptionId: "1", url: "http://evil.example/" }, true],
    ["the protocol for pages", "Target.exposeDevToolsProtocol", { targetId: own.target }],
    ["other hosts", "Target.setRemoteLocations", { locations: [{ host: "127.0.0.1", port: 1 }] }],
    ["messages that are not flattened", "Target.sendMessageToTarget", { message: "{}" }],
    ["attach to what is related", "Target.autoAttachRelated", { targetId: foreign.target, waitForDebuggerOnStart: false }],
    ["open DevTools", "Target.openDevTools", { targetId: own.target }],
    ["crash the browser", "Browser.crash", {}],
    ["crash the GPU process", "Browser.crashGpuProcess", {}],
    ["crash a process", "Page.crash", {}, true],
    ["a command of the browser", "Browser.executeBrowserCommand", { commandId: "openTabSearch" }],
    ["its command line", "Browser.getBrowserCommandLine", {}],
    ["load an extension", "Extensions.loadUnpacked", { path: "/tmp" }],
    ["list extensions", "Extensions.getExtensions", {}],
    ["open a port", "Tethering.bind", { port: 9999 }],
    ["describe the machine", "SystemInfo.getInfo", {}],
    ["list processes", "SystemInfo.getProcessInfo", {}],
    ["certificate errors off", "Security.setIgnoreCertificateErrors", { ignore: true }],
    ["the same from a page", "Security.setIgnoreCertificateErrors", { ignore: true }, true],
    ["override certificate errors", "Security.setOverrideCertificateErrors", { override: true }, true],
    ["trace all", "Tracing.start", {}],
    ["trace from a page", "Tracing.start", {}, true],
    ["streams of the browser", "IO.read", { handle: "1" }],
    ["memory of all", "Memory.getBrowserSamplingProfile", {}],
    ["workers of other tabs", "ServiceWorker.enable", {}, true],
    ["scripts in the browser", "Runtime.evaluate", { expression: "1" }],
    ["a method that is made up", "No.suchMethod", {}],
  ];
}
