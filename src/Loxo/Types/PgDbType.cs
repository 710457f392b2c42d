namespace Loxo;

/// <summary>
/// The PostgreSQL type of a parameter or column. <see cref="Array"/>, <see cref="Range"/> and <see cref="Multirange"/> are flags:
/// <c>PgDbType.Array | PgDbType.Integer</c> is <c>integer[]</c>. Types without a member here go by their name (DataTypeName).
/// The numbers are fixed: they never change between versions.
/// </summary>
public enum PgDbType
{
    /// <summary>Flag: an array of the type it is combined with. Not a type by itself.</summary>
    Array = int.MinValue,

    /// <summary><c>bigint</c>, 8 bytes.</summary>
    Bigint = 1,

    /// <summary><c>boolean</c>.</summary>
    Boolean = 2,

    /// <summary><c>box</c>, a rectangle.</summary>
    Box = 3,

    /// <summary><c>bytea</c>, a string of bytes.</summary>
    Bytea = 4,

    /// <summary><c>circle</c>.</summary>
    Circle = 5,

    /// <summary><c>character(n)</c>, padded with blanks.</summary>
    Char = 6,

    /// <summary><c>date</c>.</summary>
    Date = 7,

    /// <summary><c>double precision</c>, 8 bytes.</summary>
    Double = 8,

    /// <summary><c>integer</c>, 4 bytes.</summary>
    Integer = 9,

    /// <summary><c>line</c>, an infinite line.</summary>
    Line = 10,

    /// <summary><c>lseg</c>, a line segment.</summary>
    LSeg = 11,

    /// <summary><c>money</c>.</summary>
    Money = 12,

    /// <summary><c>numeric</c>, exact and of any precision.</summary>
    Numeric = 13,

    /// <summary><c>path</c>, points joined by lines.</summary>
    Path = 14,

    /// <summary><c>point</c>.</summary>
    Point = 15,

    /// <summary><c>polygon</c>.</summary>
    Polygon = 16,

    /// <summary><c>real</c>, 4 bytes.</summary>
    Real = 17,

    /// <summary><c>smallint</c>, 2 bytes.</summary>
    Smallint = 18,

    /// <summary><c>text</c>.</summary>
    Text = 19,

    /// <summary><c>time without time zone</c>.</summary>
    Time = 20,

    /// <summary><c>timestamp without time zone</c>.</summary>
    Timestamp = 21,

    /// <summary><c>character varying(n)</c>.</summary>
    Varchar = 22,

    /// <summary><c>refcursor</c>, the name of a cursor.</summary>
    Refcursor = 23,

    /// <summary><c>inet</c>, an IP address, perhaps with its network.</summary>
    Inet = 24,

    /// <summary><c>bit(n)</c>, a string of bits of fixed length.</summary>
    Bit = 25,

    /// <summary><c>timestamp with time zone</c>, an instant.</summary>
    TimestampTz = 26,

    /// <summary><c>uuid</c>.</summary>
    Uuid = 27,

    /// <summary><c>xml</c>.</summary>
    Xml = 28,

    /// <summary><c>oidvector</c>, an array of <c>oid</c> in the system catalogue.</summary>
    Oidvector = 29,

    /// <summary><c>interval</c>: months, days and microseconds.</summary>
    Interval = 30,

    /// <summary><c>time with time zone</c>.</summary>
    TimeTz = 31,

    /// <summary><c>name</c>, an identifier of at most 63 bytes in the system catalogue.</summary>
    Name = 32,

    /// <summary><c>abstime</c>, which PostgreSQL dropped in version 12.</summary>
    [Obsolete("PostgreSQL has no abstime since version 12.")]
    Abstime = 33,

    /// <summary><c>macaddr</c>, a MAC address of 6 bytes.</summary>
    MacAddr = 34,

    /// <summary><c>json</c>, kept as the text that was written.</summary>
    Json = 35,

    /// <summary><c>jsonb</c>, kept decomposed.</summary>
    Jsonb = 36,

    /// <summary><c>hstore</c>, keys and values (an extension).</summary>
    Hstore = 37,

    /// <summary><c>"char"</c>, one byte in the system catalogue; not <c>char(n)</c>.</summary>
    InternalChar = 38,

    /// <summary><c>bit varying(n)</c>.</summary>
    Varbit = 39,

    /// <summary>No type: the server decides from the context.</summary>
    Unknown = 40,

    /// <summary><c>oid</c>, an object's number.</summary>
    Oid = 41,

    /// <summary><c>xid</c>, a transaction's number of 32 bits.</summary>
    Xid = 42,

    /// <summary><c>cid</c>, a command's number within its transaction.</summary>
    Cid = 43,

    /// <summary><c>cidr</c>, an IP network.</summary>
    Cidr = 44,

    /// <summary><c>tsvector</c>, a document for text search.</summary>
    TsVector = 45,

    /// <summary><c>tsquery</c>, a query of text search.</summary>
    TsQuery = 46,

    /// <summary><c>regtype</c>, a type's OID.</summary>
    Regtype = 49,

    /// <summary><c>geometry</c> (PostGIS).</summary>
    Geometry = 50,

    /// <summary><c>citext</c>, text compared without case (an extension).</summary>
    Citext = 51,

    /// <summary><c>int2vector</c>, an array of <c>smallint</c> in the system catalogue.</summary>
    Int2Vector = 52,

    /// <summary><c>tid</c>, a row's place in its table.</summary>
    Tid = 53,

    /// <summary><c>macaddr8</c>, a MAC address of 8 bytes.</summary>
    MacAddr8 = 54,

    /// <summary><c>geography</c> (PostGIS).</summary>
    Geography = 55,

    /// <summary><c>regconfig</c>, the OID of a text search configuration.</summary>
    Regconfig = 56,

    /// <summary><c>jsonpath</c>.</summary>
    JsonPath = 57,

    /// <summary><c>pg_lsn</c>, a place in the write-ahead log.</summary>
    PgLsn = 59,

    /// <summary><c>ltree</c>, a label path (an extension).</summary>
    LTree = 60,

    /// <summary><c>lquery</c>, a pattern for <c>ltree</c>.</summary>
    LQuery = 61,

    /// <summary><c>ltxtquery</c>, a text search for <c>ltree</c>.</summary>
    LTxtQuery = 62,

    /// <summary><c>cube</c>, a cube of many dimensions (an extension).</summary>
    Cube = 63,

    /// <summary><c>xid8</c>, a transaction's number of 64 bits.</summary>
    Xid8 = 64,

    /// <summary>Flag: a multirange of the type it is combined with. Not a type by itself.</summary>
    Multirange = 0x20000000,

    /// <summary><c>int8multirange</c>.</summary>
    BigIntMultirange = Multirange | Bigint,

    /// <summary><c>datemultirange</c>.</summary>
    DateMultirange = Multirange | Date,

    /// <summary><c>int4multirange</c>.</summary>
    IntegerMultirange = Multirange | Integer,

    /// <summary><c>nummultirange</c>.</summary>
    NumericMultirange = Multirange | Numeric,

    /// <summary><c>tsmultirange</c>.</summary>
    TimestampMultirange = Multirange | Timestamp,

    /// <summary><c>tstzmultirange</c>.</summary>
    TimestampTzMultirange = Multirange | TimestampTz,

    /// <summary>Flag: a range of the type it is combined with. Not a type by itself.</summary>
    Range = 0x40000000,

    /// <summary><c>int8range</c>.</summary>
    BigIntRange = Range | Bigint,

    /// <summary><c>daterange</c>.</summary>
    DateRange = Range | Date,

    /// <summary><c>int4range</c>.</summary>
    IntegerRange = Range | Integer,

    /// <summary><c>numrange</c>.</summary>
    NumericRange = Range | Numeric,

    /// <summary><c>tsrange</c>.</summary>
    TimestampRange = Range | Timestamp,

    /// <summary><c>tstzrange</c>.</summary>
    TimestampTzRange = Range | TimestampTz,
}
