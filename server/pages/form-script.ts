/*
 * The script that puts a form into a page of another site, written by hand to stay small: no cookies, no requests but
 * to this server. On this server's own page (`data-attach`) it takes the form that is there.
 */

/** The settings of the script. */
interface FormScript {
  /** The form as HTML, with its heading. */
  readonly html: string
  /** The style of the form. */
  readonly css: string
  /** Shown when the form could not be sent. */
  readonly trouble: string
  /** Above the labels of fields that were wrong. */
  readonly check: string
}

/** The script with this form in it. */
export function formScript(given: FormScript): string {
  // a text within a script must not end it, wherever it is put
  const data = JSON.stringify(given).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `(function(c){${SCRIPT}})(${data})\n`
}

const SCRIPT = `
var PARTS={form:"form",heading:".heading",intro:".intro",alert:".wrong",label:"label",field:".field input,.field select",box:"[type=checkbox]",consent:".consent",button:"button"};
var d=document,s=d.currentScript,own=s.hasAttribute("data-attach"),f;
if(own)f=d.querySelector("form[data-mailwright]");
else{var bare=s.hasAttribute("data-unstyled"),box=d.createElement("div"),root=box;box.className="mailwright";
if(!bare)root=box.attachShadow({mode:"open"});
root.innerHTML=c.html;
if(!bare)try{var css=new CSSStyleSheet;css.replaceSync(c.css);root.adoptedStyleSheets=[css]}
catch(x){var y=d.createElement("style");y.textContent=c.css;root.append(y)}
f=root.querySelector("form");
if(bare)f.querySelectorAll(".heading,.intro").forEach(function(e){e.remove()});
else for(var k in PARTS)f.parentNode.querySelectorAll(PARTS[k]).forEach(function(e){e.setAttribute("part",k)});
s.after(bare?f:box)}
var to=s.src.replace(/\\/embed\\.js.*$/,""),b=f.querySelector("button"),w=f.querySelector("[role=alert]"),busy,proof;
if(!own)f.setAttribute("action",to);
function say(t){w.textContent=t;w.hidden=!t;if(t)w.scrollIntoView({block:"nearest"})}
function label(n){var e=f.querySelector("[name="+n+"]"),l=e&&e.closest("label");e&&e.setAttribute("aria-invalid","true");
return l?l.textContent.trim().split("\\n")[0]:n}
function done(t){var r=d.createElement("div"),h=d.createElement("p"),p=d.createElement("p");r.setAttribute("role","status");
r.tabIndex=-1;r.className="mailwright-thanks";r.setAttribute("part","thanks");h.textContent=t.title;p.textContent=t.message;r.append(h,p);f.replaceWith(r);r.focus()}
function send(o){return fetch(to,{method:"POST",headers:{"content-type":"application/json",accept:"application/json"},body:JSON.stringify(o)})}
async function work(){try{var q=await(await fetch(to+"/challenge")).json(),e=new TextEncoder,n=0,want=parseInt(q.challenge.slice(0,8),16);
for(;n<=q.maxnumber;n++)if(new DataView(await crypto.subtle.digest("SHA-256",e.encode(q.salt+n))).getUint32(0)===want)
return btoa(JSON.stringify({algorithm:q.algorithm,challenge:q.challenge,number:n,salt:q.salt,signature:q.signature}))}catch(x){}}
function native(a){var i=d.createElement("input");i.type="hidden";i.name="altcha";i.value=a||"";f.append(i);HTMLFormElement.prototype.submit.call(f)}
addEventListener("pageshow",function(){busy=b.disabled=false});
f.addEventListener("focusin",function(){proof=proof||work()});
f.addEventListener("submit",async function(e){
e.preventDefault();if(busy)return;busy=b.disabled=true;say("");
var a=await(proof||work());proof=null;if(own)return native(a);
f.querySelectorAll("[aria-invalid]").forEach(function(e){e.removeAttribute("aria-invalid")});
var o={altcha:a};new FormData(f).forEach(function(v,k){o[k]=v});
send(o).then(function(r){return r.json().then(function(j){
busy=b.disabled=false;
if(!r.ok){var l=((j.error||{}).errors||[]).map(function(e){return label(e.field)});return say(l.length?c.check+" "+l.join(", "):c.trouble)}
if(j.data.redirectUrl)location.href=j.data.redirectUrl;else done(j.data)})},
function(){native(a)}).catch(function(){busy=b.disabled=false;say(c.trouble)})
})`
