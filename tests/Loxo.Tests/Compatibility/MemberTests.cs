using System.ComponentModel;
using System.Data;
using System.Net;
using System.Text;
using Npgsql;
using Npgsql.NameTranslation;
using NpgsqlTypes;

namespace Loxo.Tests.Compatibility;

/// <summary>Members of Npgsql's names do what Npgsql's do.</summary>
public sealed class MemberTests
{
    [Test]
    public void A_box_is_taken_apart_in_the_same_order()
    {
        var (box, theirs) = (new PgBox(4, 3, 2, 1), new NpgsqlBox(4, 3, 2, 1));
        box.Deconstruct(out PgPoint lower, out PgPoint upper);
        theirs.Deconstruct(out NpgsqlPoint theirLower, out NpgsqlPoint theirUpper);
        var (left, right, bottom, top) = box;
        var (theirLeft, theirRight, theirBottom, theirTop) = theirs;
        var (_, _, _, _, width, height) = box;
        var (_, _, _, _, theirWidth, theirHeight) = theirs;

        Assert.That((lower.X, lower.Y, upper.X, upper.Y), Is.EqualTo((theirLower.X, theirLower.Y, theirUpper.X, theirUpper.Y)));
        Assert.That((left, right, bottom, top, width, height),
            Is.EqualTo((theirLeft, theirRight, theirBottom, theirTop, theirWidth, theirHeight)));
    }

    [Test]
    public void Circles_and_segments_are_made_of_coordinates()
    {
        var (x, y, radius) = new PgCircle(1, 2, 3);
        var segment = new PgLSeg(1, 2, 3, 4);
        var theirs = new NpgsqlLSeg(1, 2, 3, 4);

        Assert.That((x, y, radius), Is.EqualTo((1d, 2d, 3d)));
        Assert.That(segment.ToString(), Is.EqualTo(theirs.ToString()));
    }

    [Test]
    public void A_path_is_a_list_that_cannot_be_changed()
    {
        IList<PgPoint>[] lists = [new PgPath(new PgPoint(1, 2), new PgPoint(3, 4)), new PgPolygon(new PgPoint(1, 2), new PgPoint(3, 4))];
        foreach (var list in lists)
        {
            var copy = new PgPoint[3];
            list.CopyTo(copy, 1);

            Assert.That((list.Count, list.IsReadOnly, list[1]), Is.EqualTo((2, true, new PgPoint(3, 4))));
            Assert.That((list.IndexOf(new(3, 4)), list.IndexOf(new(5, 6)), list.Contains(new(1, 2))), Is.EqualTo((1, -1, true)));
            Assert.That(copy[1..], Is.EqualTo(list));
            Assert.That(() => list.Add(default), Throws.TypeOf<NotSupportedException>());
            Assert.That(() => list[0] = default, Throws.TypeOf<NotSupportedException>());
            Assert.That(() => list.CopyTo(copy, 2), Throws.ArgumentException);
        }
        Assert.That(default(PgPath).IndexOf(default), Is.EqualTo(-1));
    }

    [Test]
    public void Addresses_and_networks_convert_into_each_other()
    {
        PgInet ofNetwork = IPNetwork.Parse("10.1.0.0/16");
        PgInet ofCidr = new PgCidr("10.1.0.0/16");

        Assert.That(new PgInet("192.168.0.1/24"), Is.EqualTo(new PgInet(IPAddress.Parse("192.168.0.1"), 24)));
        Assert.That((ofNetwork.ToString(), ofCidr), Is.EqualTo((((NpgsqlInet)IPNetwork.Parse("10.1.0.0/16")).ToString(), ofNetwork)));
        Assert.That((IPAddress)new PgInet("10.1.2.3/8"), Is.EqualTo(IPAddress.Parse("10.1.2.3")));
        Assert.That((IPAddress)new PgCidr("10.0.0.0/8"), Is.EqualTo(IPAddress.Parse("10.0.0.0")));
        Assert.That(() => new PgInet("nonsense"), Throws.TypeOf<FormatException>());
    }

    [TestCase("16/B374D848", true)]
    [TestCase("0/0", true)]
    [TestCase("16B374D848", false)]
    [TestCase(null, false)]
    public void A_place_in_the_log_is_read(string? text, bool isOne)
    {
        Assert.That(PgLogSequenceNumber.TryParse(text, out var place), Is.EqualTo(isOne));
        Assert.That(PgLogSequenceNumber.TryParse(text.AsSpan(), out var same), Is.EqualTo(isOne));
        Assert.That((same, place.ToString()), Is.EqualTo((place, isOne ? text : "0/0")));
    }

    [Test]
    public void Nodes_of_a_query_tell_their_kind()
    {
        var lexeme = new PgTsQueryLexeme("a", isPrefix: true);
        var phrase = new PgTsQueryFollowedBy(lexeme, (short)2, new PgTsQueryLexeme("b"));
        var text = new StringBuilder("x");
        phrase.Write(text);
        PgTsQuery[] nodes = [PgTsQuery.Empty, lexeme, !lexeme, lexeme & phrase, lexeme | phrase, phrase];

        Assert.That(nodes.Select(node => node.Kind.ToString()), Is.EqualTo(Enum.GetNames<NpgsqlTsQuery.NodeKind>().OrderBy(
            name => (int)Enum.Parse<NpgsqlTsQuery.NodeKind>(name))).Or.EquivalentTo(Enum.GetNames<NpgsqlTsQuery.NodeKind>()));
        Assert.That((lexeme.IsPrefixSearch, new PgTsQueryNot(lexeme).Child, phrase.Distance), Is.EqualTo((true, (PgTsQuery)lexeme, 2)));
        Assert.That(text.ToString(), Is.EqualTo("x" + phrase));
    }

    [TestCase("OrderStatus")]
    [TestCase("HTTPServer")]
    [TestCase("getHTTPResponse")]
    [TestCase("A")]
    [TestCase("")]
    public void Names_become_snake_case_as_before(string name)
    {
        var invariant = System.Globalization.CultureInfo.InvariantCulture;

        Assert.That(PgSnakeCaseNameTranslator.ConvertToSnakeCase(name), Is.EqualTo(NpgsqlSnakeCaseNameTranslator.ConvertToSnakeCase(name)));
        foreach (var legacy in new[] { false, true })
        {
            var (ours, theirs) = (new PgSnakeCaseNameTranslator(legacy, invariant), new NpgsqlSnakeCaseNameTranslator(legacy, invariant));
            Assert.That((ours.TranslateTypeName(name), ours.TranslateMemberName(name)),
                Is.EqualTo((theirs.TranslateTypeName(name), theirs.TranslateMemberName(name))));
        }
    }

    [Test]
    public void Ranges_are_converted_by_TypeDescriptor()
    {
        PgRange<int>.RangeTypeConverter.Register();
        var converter = TypeDescriptor.GetConverter(typeof(PgRange<int>));

        Assert.That((converter.CanConvertFrom(typeof(string)), converter.CanConvertFrom(typeof(Guid))), Is.EqualTo((true, false)));
        Assert.That(converter.ConvertFromInvariantString("[1,5)"), Is.EqualTo(new PgRange<int>(1, true, 5, false)));
        Assert.That(converter.ConvertToInvariantString(new PgRange<int>(1, true, 5, false)), Is.EqualTo("[1,5)"));
    }

    [Test]
    public void Each_constructor_of_a_parameter_sets_what_it_is_given()
    {
        var sized = new PgParameter("p", DbType.Int32, 4, "source");
        var whole = new PgParameter("p", PgDbType.Bigint, 8, "source", ParameterDirection.InputOutput, true, 5, 2, DataRowVersion.Original, 7L);
        var theirs = new NpgsqlParameter("p", NpgsqlDbType.Bigint, 8, "source", ParameterDirection.InputOutput, true, 5, 2, DataRowVersion.Original, 7L);
        var byDbType = new PgParameter("p", DbType.Int64, 8, "source", ParameterDirection.InputOutput, true, 5, 2, DataRowVersion.Original, 7L);

        Assert.That((sized.DbType, sized.Size, sized.SourceColumn), Is.EqualTo((DbType.Int32, 4, "source")));
        foreach (var one in new[] { whole, byDbType })
        {
            Assert.That((one.ParameterName, one.DbType, one.Size, one.SourceColumn, one.Direction, one.IsNullable), Is.EqualTo(
                (theirs.ParameterName, theirs.DbType, theirs.Size, theirs.SourceColumn, theirs.Direction, theirs.IsNullable)));
            Assert.That((one.Precision, one.Scale, one.SourceVersion, one.Value), Is.EqualTo(
                (theirs.Precision, theirs.Scale, theirs.SourceVersion, theirs.Value)));
        }
        Assert.That(new PgParameter<int>("p", DbType.Int32).DbType, Is.EqualTo(DbType.Int32));
    }

    [Test]
    public void A_parameter_tells_its_PostgreSQL_type()
    {
        Assert.That(new PgParameter("p", 5).PostgresType?.Name, Is.EqualTo("integer"));
        Assert.That(new PgParameter("p", PgDbType.Array | PgDbType.Text).PostgresType, Is.TypeOf<PostgresArrayType>());
        Assert.That(new PgParameter("p", PgDbType.IntegerRange).PostgresType, Is.TypeOf<PostgresRangeType>());
        Assert.That(new PgParameter { DataTypeName = "mood" }.PostgresType, Is.Null);
    }

    [Test]
    public void A_parameter_is_removed_by_name_and_moved_by_its_collection()
    {
        using PgCommand first = new(), second = new();
        var parameter = first.Parameters.AddWithValue("@p", 1);
        Assert.That(parameter.Collection, Is.SameAs(first.Parameters));
        parameter.Collection = second.Parameters;
        Assert.That((first.Parameters.Count, second.Parameters.Contains(parameter)), Is.EqualTo((0, true)));
        second.Parameters.Remove("P");

        Assert.That((second.Parameters.Count, parameter.Collection), Is.EqualTo((0, (PgParameterCollection?)null)));
        Assert.That(() => second.Parameters.Remove("p"), Throws.InstanceOf<IndexOutOfRangeException>());
        Assert.That(() => parameter.Collection = null, Throws.Nothing);
    }

    [Test]
    public void A_builder_of_connection_strings_is_a_dictionary()
    {
        var (ours, theirs) = (new PgConnectionStringBuilder("Host=h;Port=6543"), new NpgsqlConnectionStringBuilder("Host=h;Port=6543"));
        var item = new KeyValuePair<string, object?>("Database", "d");
        ours.Add(item);
        theirs.Add(item);
        var copy = new KeyValuePair<string, object?>[3];
        ours.CopyTo(copy, 0);

        Assert.That(ours.Keys, Is.EquivalentTo(theirs.Keys));
        Assert.That(ours.Values.Select(value => $"{value}"), Is.EquivalentTo(theirs.Values.Select(value => $"{value}")));
        Assert.That(copy, Is.EquivalentTo(ours));
        Assert.That((ours.Contains(item), ours.Remove(item), ours.Remove(item), ours.Count), Is.EqualTo((true, true, false, 2)));
    }

    [Test]
    public void What_a_mapper_was_told_can_be_taken_back()
    {
        IPgTypeMapper builder = new PgDataSourceBuilder();
        builder.MapEnum<DayOfWeek>("day");
        builder.Reset();

        Assert.That(builder.UnmapEnum<DayOfWeek>("day"), Is.False);
    }

    [Test]
    public void A_data_source_has_one_kind_of_password_provider()
    {
        var builder = new PgDataSourceBuilder("Host=h");
        Assert.That(() => builder.UsePasswordProvider(_ => "p", null), Throws.ArgumentException);
        Assert.That(() => builder.UsePhysicalConnectionInitializer(_ => { }, null), Throws.ArgumentException);
        Assert.That(() => builder.UsePeriodicPasswordProvider((_, _) => new("p"), TimeSpan.FromSeconds(-1), default), Throws.InstanceOf<ArgumentException>());
        builder.UsePasswordProvider(_ => "p", (_, _) => new("p"));
        Assert.That(() => builder.UsePeriodicPasswordProvider((_, _) => new("p"), TimeSpan.FromHours(1), TimeSpan.FromHours(1)),
            Throws.TypeOf<NotSupportedException>());
        using (var source = builder.Build())
            Assert.That(() => source.Password = "p", Throws.TypeOf<NotSupportedException>());
        builder.ConnectionStringBuilder.Password = "p";
        Assert.That(builder.Build, Throws.TypeOf<NotSupportedException>());
    }
}
