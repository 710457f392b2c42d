using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Tests.Session;

/// <summary>What a description says of the columns: their codecs, and the formats to request.</summary>
public sealed class ResultShapeTests
{
    private const uint Int4 = 23, Record = 2249, AclItem = 1033, Unknown = 20_000;

    private readonly DatabaseTypes _types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);

    [Test]
    public void Columns_with_binary_codecs_need_no_list_of_formats()
    {
        var shape = Read(ofStatement: true, Int4, Int4);
        Assert.That((shape.Count, shape.Formats, shape.IsInPreferredFormats, shape.NeedsConversion), Is.EqualTo((2, Array.Empty<FormatCode>(), true, false)));
        Assert.That(shape[1].FieldType, Is.EqualTo(typeof(int)));
    }

    [Test]
    public void A_statement_asks_for_text_where_there_is_no_binary_codec()
    {
        var shape = Read(ofStatement: true, Int4, AclItem, Unknown);
        Assert.That(shape.Formats, Is.EqualTo([FormatCode.Binary, FormatCode.Text, FormatCode.Text]));
        Assert.That(shape.Columns.ToArray().Select(column => column.FieldType), Is.EqualTo([typeof(int), typeof(string), typeof(string)]));
        Assert.That((shape.HasUnreadable, shape.HasUnknownTypes), Is.EqualTo((false, true)));
    }

    [Test]
    public void A_column_that_arrives_in_binary_without_a_codec_is_converted()
    {
        var shape = Read(ofStatement: false, Int4, Unknown);
        Assert.That((shape.HasUnreadable, shape.NeedsConversion, shape.IsInPreferredFormats), Is.EqualTo((true, true, false)));
        Assert.That(shape.UnknownTypes, Is.EqualTo([Unknown]));
        var converted = shape.Converted();
        Assert.That((converted[0].Format, converted[1].Format), Is.EqualTo((FormatCode.Binary, FormatCode.Text)));
        Assert.That(shape.InPreferredFormats().HasUnreadable, Is.False);
    }

    [Test]
    public void A_record_may_have_fields_of_unknown_types() =>
        Assert.That(Read(ofStatement: false, Record).NeedsConversion, Is.True);

    [Test]
    public void A_type_that_has_become_known_gets_its_codec()
    {
        var shape = Read(ofStatement: false, Unknown);
        _types.Add([new() { Oid = Unknown, Schema = "app", Name = "count", Kind = 'd', Base = Int4 }], byPath: true);
        var known = shape.With(_types);
        Assert.That((known.HasUnknownTypes, known.NeedsConversion, known[0].FieldType), Is.EqualTo((false, false, typeof(int))));
    }

    private ResultShape Read(bool ofStatement, params uint[] types)
    {
        var body = new MessageWriter();
        body.WriteCount(types.Length);
        foreach (var type in types)
        {
            body.WriteCString("column");
            body.WriteInt32(0);
            body.WriteInt16(0);
            body.WriteUInt32(type);
            body.WriteInt16(-1);
            body.WriteInt32(-1);
            body.WriteInt16((short)FormatCode.Binary);
        }
        return ResultShape.Read(new RowDescription(body.Pending), _types, ofStatement);
    }
}
