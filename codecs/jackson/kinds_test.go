package jackson_test

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// kinds is the Go twin of demo.Kinds$Fields in integration/java/src/vectors/json/Kinds.java.
type kinds struct {
	Plain   plainEnum               `java:"plain"`
	Fancy   fancyEnum               `java:"fancy"`
	Fancies []fancyEnum             `java:"fancies,demo.Kinds$Fancy[]"`
	Plains  []plainEnum             `java:"plains,demo.Kinds$Plain[]"`
	Es      []plainEnum             `java:"es,java.util.EnumSet<demo.Kinds$Plain>"`
	Em      map[plainEnum]int64     `java:"em,java.util.EnumMap<demo.Kinds$Plain,java.lang.Long>"`
	Sp      *java.List              `java:"sp,java.util.Set<demo.Kinds$Plain>"`
	Mp      *java.Map               `java:"mp,java.util.Map<demo.Kinds$Plain,demo.Kinds$Fancy>"`
	Chars   []java.Char             `java:"chars,char[]"`
	Chars2  [][]java.Char           `java:"chars2,char[][]"`
	Bytes2  [][]byte                `java:"bytes2,byte[][]"`
	Longs2  [][]int64               `java:"longs2,long[][]"`
	Boxed2  [][]int64               `java:"boxed2,java.lang.Long[][]"`
	Objs    []any                   `java:"objs,java.lang.Object[]"`
	Strs2   [][]string              `java:"strs2,java.lang.String[][]"`
	Al      *int64                  `java:"al,java.util.concurrent.atomic.AtomicLong"`
	Ar      *int64                  `java:"ar,java.util.concurrent.atomic.AtomicReference<java.lang.Long>"`
	Aro     any                     `java:"aro,java.util.concurrent.atomic.AtomicReference<java.lang.Object>"`
	Ab      *bool                   `java:"ab,java.util.concurrent.atomic.AtomicBoolean"`
	Locale  *java.Locale            `java:"locale"`
	Cls     java.ClassRef           `java:"cls"`
	Pat     *java.Pattern           `java:"pat"`
	Cur     string                  `java:"cur,java.util.Currency"`
	Tz      string                  `java:"tz,java.util.TimeZone"`
	Sb      *string                 `java:"sb,java.lang.StringBuilder"`
	File    java.Text               `java:"file,java.io.File"`
	Cal     *java.Calendar          `java:"cal"`
	Gcal    *java.Calendar          `java:"gcal,java.util.GregorianCalendar"`
	TS      time.Time               `java:"ts,java.sql.Timestamp"`
	Sd      time.Time               `java:"sd,java.sql.Date"`
	Locales []java.Locale           `java:"locales"`
	Uuids   []java.UUID             `java:"uuids"`
	Uuida   []java.UUID             `java:"uuida,java.util.UUID[]"`
	UUID    *java.UUID              `java:"uuid"`
	Muu     *java.Map               `java:"muu,java.util.Map<java.util.UUID,java.util.UUID>"`
	Mdd     map[time.Time]time.Time `java:"mdd,java.util.LinkedHashMap<java.util.Date,java.util.Date>"`
	Ll      [][]int64               `java:"ll"`
	Mli     map[string][]int32      `java:"mli"`
	Fin     *java.List              `java:"fin,java.util.List<java.lang.String>"`
	Finm    *java.Map               `java:"finm,java.util.Map<java.lang.String,java.lang.Integer>"`
	Num     *int64                  `java:"num,java.lang.Number"`
	Numi    any                     `java:"numi,java.lang.Number"`
	Cmp     any                     `java:"cmp,java.lang.Comparable"`
	Ser     any                     `java:"ser,java.io.Serializable"`
	Cseq    any                     `java:"cseq,java.lang.CharSequence"`
	Oa2     *java.List              `java:"oa2,java.lang.Object[]"`
	Col     []any                   `java:"col,java.util.Collection<java.lang.Object>"`
	Inet    java.Text               `java:"inet,java.net.InetAddress"`
	URI     string                  `java:"uri,java.net.URI"`
	It      []int64                 `java:"it,java.lang.Iterable<java.lang.Long>"`
	Mlong   map[int64]int64         `java:"mlong,java.util.LinkedHashMap<java.lang.Long,java.lang.Long>"`
	Raw     map[int64]int64         `java:"raw,java.util.HashMap"`
	Dates   []time.Time             `java:"dates,java.util.Date[]"`
	Bds     []java.BigDecimal       `java:"bds,java.math.BigDecimal[]"`
	Floats  []float32               `java:"floats,java.lang.Float[]"`
	Dbl     []float64               `java:"dbl,double[]"`
	Shorts  []int16                 `java:"shorts,java.lang.Short[]"`
	Charsb  []java.Char             `java:"charsb,java.lang.Character[]"`
	Nan     float64                 `java:"nan"`
	Dnan    *float64                `java:"dnan"`
	Fnan    *float32                `java:"fnan"`
	Onan    any                     `java:"onan"`
	Lnan    []float64               `java:"lnan"`
	Big     *big.Int                `java:"big"`
}

func (kinds) JavaClass() string { return "demo.Kinds$Fields" }

// plainEnum is final in Java, fancyEnum is not: its constants have bodies.
type plainEnum string

func (plainEnum) JavaClass() string { return "enum demo.Kinds$Plain {A, B}" }

type fancyEnum string

func (fancyEnum) JavaClass() string {
	return "enum demo.Kinds$Fancy {X{demo.Kinds$Fancy$1}, Y{demo.Kinds$Fancy$2}}"
}
