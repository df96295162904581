exec(open('/tmp/collect-redis/drive.py').read())
fresh()
def state(i): return find(i)[0].decode()
def take(i,limit=10):
    w=work(limit=limit)
    for a,b in w['got']:
        if a==i: return w['claim'],i,b
    raise Exception('not there')
def collected(**k):
    i=newid(); b=body(pri=k.pop('pri',0),queue='default'); put(i,b); c,i,b=take(i); j=join(c,i,b,**k); w=work([j]); assert w['lost']==[],w; assert state(i)=='waiting',state(i); return i
def carrier(i): return find(i)[9][:16]
def items(c):
    a=run('bundle',c,'',500000); assert a[0]==b'ok'; v=a[4:]; l=[(v[k+1],v[k]) for k in range(0,len(v),4)]; return [x[1] for x in sorted(l)]
a=collected(size=3); b=collected(size=3); c=carrier(a); assert c==carrier(b); assert state(c)=='delayed'
d=collected(size=3); assert state(c)=='ready'; assert items(c)==[a,b,d]
w=work(limit=10); assert [x[0] for x in w['got']]==[c]
assert r('HLEN',P+'bundles')==0
run('resolve','',c,'b',outcome(),1,a); assert state(a)=='waiting'
w2=work([end(w['claim'],c,w['got'][0][1])]); assert w2['lost']==[]
n=run('news','r','10000',10,100); assert n[3]==c+b's',n
tok=n[4]
# told as an ordinary dependent: not for it
x=run('resolve','',c,'s',outcome(b'c'),1,a); assert x[2]==[1],x; assert state(a)=='waiting'
run('resolve','',c,'b',outcome(),1,a); assert state(a)=='ended'
x=run('resolve','',c,'s',outcome(b'c'),1,a); assert x[2]==[],x
run('resolve','',c,'b','A',1,b); assert state(b)=='ready'
run('resolve','',c,'b',b'R%013d'%50+b'\x01\x00\x02',1,d); assert state(d)=='retry'
# rejoined item, old news as ordinary: heard, not kept
cl,i,bb=take(b); work([join(cl,i,bb)]); assert state(b)=='waiting'
x=run('resolve','',c,'s',outcome(b'c'),1,b); assert x[2]==[] and state(b)=='waiting',x
run('delivered',c+b's',tok,'1',3,a,b,d); assert r('ZCARD',P+'outbox')==1, r('ZRANGE',P+'outbox',0,-1)
def audit():
    for mode in ('audit_tasks',):
        pass
# due and ready: takes others until it is claimed
fresh()
a=collected(grace=1,key='x') if False else collected(grace=1); c=carrier(a); time.sleep(.01); run('promote','w',100,outcome(b'x'),1); assert state(c)=='ready'
i=newid(); bb=body(); put(i,bb); w=work(limit=10); assert [x[0] for x in w['got']]==[c,i],[state(x) for x in (c,i)]
work([join(w['claim'],i,bb)]); assert carrier(i)!=c and items(c)==[a]
fresh()
a=collected(grace=1); c=carrier(a); time.sleep(.01)
i=newid(); bb=body(); put(i,bb); w=work(limit=1); assert w['got'][0][0]==i
run('promote','w',100,outcome(b'x'),1); assert state(c)=='ready'
work([join(w['claim'],i,bb,size=3)]); assert carrier(i)==c; assert state(c)=='ready'
assert r('ZCARD',P+'due:default')==0 and r('LLEN',P+'ready:default')==1
i3=newid(); bb=body(); r('RPUSH',P+'ready:default',i3); r('HSET',K[0],i3,bb); w=work(limit=1); assert w['got'][0][0]==i3
work([join(w['claim'],i3,bb,size=3)]); assert carrier(i3)==c; assert r('LLEN',P+'ready:default')==1 and r('HLEN',P+'bundles')==0
w=work(limit=5); assert [x[0] for x in w['got']]==[c]; assert items(c)==[a,i,i3]
# more urgent begins another
fresh()
a=collected(grace=1); c=carrier(a); time.sleep(.01); run('promote','w',100,outcome(b'x'),1)
u=newid(); bb=body(pri=5); put(u,bb); w=work(limit=1); assert w['got'][0][0]==u
work([join(w['claim'],u,bb)]); c2=carrier(u); assert c2!=c and state(c2)=='delayed' and state(c)=='ready'
assert r('HKEYS',P+'bundles') and r('HLEN',P+'bundles')==2
# priority raise of delayed one
u7=newid(); bb=body(pri=7); put(u7,bb); w=work(limit=1); work([join(w['claim'],u7,bb)]); assert carrier(u7)==c2; assert r('HGET',K[0],c2)[2]==7
# due but not promoted: put off again, still open
fresh()
a=collected(grace=1); c=carrier(a); time.sleep(.01); b=collected(grace=50); assert carrier(b)==c and state(c)=='delayed'
# recovered carrier
fresh()
a=collected(size=1); c=carrier(a); w=work(limit=1,lease=1); time.sleep(.01)
b=collected(); assert carrier(b)!=c
x=run('recover','R',1,'w',10,1000,':fedcba9876543210','0'); assert c in x[4]
# edit: later -> leaves; other args -> leaves; priority only -> stays
import hashlib as h
fresh()
a=collected(); c=carrier(a); old=r('HGET',K[0],a); due=str(int(time.time()*1000)+3600000)
x=run('edit',a,h.sha1(old).hexdigest(),old,due,'',''); assert x[0]==b'ok' and state(a)=='delayed' and items(c)==[]
fresh()
a=collected(); c=carrier(a); old=r('HGET',K[0],a)
new=old[:2]+bytes([4])+old[3:]; x=run('edit',a,h.sha1(old).hexdigest(),new,'','','1'); assert x[0]==b'ok' and state(a)=='waiting',x
new2=new[:-3]+b'[2]'; x=run('edit',a,h.sha1(new).hexdigest(),new2,'','','1'); assert x[0]==b'ok' and state(a)=='ready',(x,state(a))
assert r('ZCARD',P+'links')==1 and r('HLEN',P+'waiting')==1
w=work(limit=5); assert [y[0] for y in w['got']]==[a]
# run now of an item: it stays
fresh()
a=collected(); c=carrier(a); old=r('HGET',K[0],a)
x=run('edit',a,h.sha1(old).hexdigest(),old,'0','',''); assert x[0]==b'ok' and state(a)=='waiting' and items(c)==[a]
# cancel of item; carrier cancel
fresh()
a=collected(); c=carrier(a); b=collected(); run('cancel',a,'',outcome(b'c')); assert items(c)==[b]
run('cancel',c,'',outcome(b'c')); n=run('news','r','10000',10,100); assert n[3]==c+b'c'
run('resolve','',c,'b',outcome(b'c'),1,b); assert find(b)[4][13:14]==b'c'
# remove carrier while items wait
fresh()
a=collected(); c=carrier(a); run('remove',c,outcome(b'c',0)); n=run('news','r','10000',10,100); assert n[3]==c+b'c',n
run('resolve','',c,'b',outcome(b'c'),1,a); assert state(a)=='ended'
# gated carrier, raise with gates kept; ready in a group
fresh()
g=b'b'+b'12345678'+b'abcdefgh'
a=collected(gates=g,grace=1); c=carrier(a); time.sleep(.01)
i=newid(); bb=body(); put(i,bb); w=work(limit=1)
run('promote','w',100,outcome(b'x'),1); assert state(c)=='ready'
work([join(w['claim'],i,bb,gates=g)]); assert carrier(i)==c
w=work(limit=3); assert [y[0] for y in w['got']]==[c],w
fresh()
a=collected(gates=g); c=carrier(a); 
i=newid(); bb=body(pri=3); put(i,bb); w=work(limit=1); work([join(w['claim'],i,bb)]); assert r('HGET',K[0],c)[2]==131 and r('HGET',K[0],c)[-1]==1
assert state(c)=='delayed' and r('ZCARD',P+'due:default')==1
# expire
fresh()
i=newid(); bb=body(flags=8); put(i,bb); w=work(limit=1); work([join(w['claim'],i,bb)]); c=carrier(i)
r('ZADD',P+'expiry:default','1',i); run('promote','w',100,outcome(b'x'),1); assert find(i)[4][13:14]==b'x' and items(c)==[]
# given back without having read its items
fresh()
a=collected(size=1); c=carrier(a)
print('all right')
