using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class CodecFactoryTests
{
    [Test]
    public void A_listed_codec_is_preferred_to_a_made_one()
    {
        var factory = new Factory();
        Assert.That(Type(factory).CodecFor<bool>(), Is.TypeOf<BoolCodec>());
        Assert.That(Type(factory).CodecForValue(true), Is.TypeOf<BoolCodec>());
        Assert.That(factory.Asked, Is.Zero);
    }

    [Test]
    public void What_is_not_listed_is_made_once()
    {
        var factory = new Factory();
        var type = Type(factory);
        Assert.That(type.CodecFor<Version>(), Is.TypeOf<VersionCodec>().And.SameAs(type.CodecFor<Version>()));
        Assert.That(type.CodecForValue(new Version(1, 2)), Is.TypeOf<VersionCodec>().And.SameAs(type.CodecForValue(new Version(3, 4))));
        Assert.That(factory.Asked, Is.EqualTo(2));
    }

    [Test]
    public void What_the_factory_refuses_has_no_codec()
    {
        Assert.That(Type(new Factory()).CodecFor<Guid>(), Is.Null);
        Assert.That(Type(new Factory()).CodecForValue(Guid.Empty), Is.Null);
        Assert.That(CodecCheck.Type("boolean").CodecFor<Version>(), Is.Null);
    }

    [Test]
    public void A_made_codec_reads_text_format_too() =>
        Assert.That(Type(new Factory()).CodecFor<Version>(FormatCode.Text)!.Read("t"u8), Is.EqualTo(new Version(1, 0)));

    [Test]
    public void An_array_type_has_the_factory_for_arrays()
    {
        var arrays = new Factory();
        Assert.That(Type(new Factory { Arrays = arrays }).Array!.Factory, Is.SameAs(arrays));
        Assert.That(Type(new Factory()).Array!.Factory, Is.Null);
    }

    [Test]
    public void An_array_of_a_class_goes_to_the_factory_before_it_is_taken_for_an_array_of_objects()
    {
        var withFactory = Type(new Factory { Arrays = new Factory { Made = typeof(Version[]) } }).Array!;
        Assert.That(withFactory.CodecForValue(new[] { new Version(1, 2) }), Is.TypeOf<VersionCodec>());
        Assert.That(Type(new Factory()).Array!.CodecForValue(new[] { new Version(1, 2) })!.ValueType, Is.EqualTo(typeof(object[])));
    }

    [Test]
    public void Threads_that_ask_at_once_get_the_same_codec()
    {
        var type = Type(new Factory());
        var codecs = new Loxo.Codec?[64];
        Parallel.For(0, codecs.Length, i => codecs[i] = type.CodecFor<Version>());
        Assert.That(codecs, Is.All.SameAs(codecs[0]));
        Assert.That(codecs[0], Is.Not.Null);
    }

    private static TypeEntry Type(ICodecFactory factory) =>
        new TypeEntry(() => [new BoolCodec()], new BoolTextFormat()) { Oid = 1, ArrayOid = 2, Name = "x", DisplayName = "x", Factory = factory }.WithArray();

    private sealed class Factory : ICodecFactory
    {
        private int _asked;

        public int Asked => _asked;

        public Type Made { get; init; } = typeof(Version);

        public ICodecFactory? Arrays { get; init; }

        public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

        public Loxo.Codec? Create(Type clrType, TypeEntry type)
        {
            Interlocked.Increment(ref _asked);
            return clrType == Made ? new VersionCodec() : null;
        }
    }

    private sealed class VersionCodec : ReferenceCodec<Version>
    {
        public override Version Read(ReadOnlySpan<byte> value) => new(value[0], 0);

        public override void Write(MessageWriter writer, Version value) => writer.WriteByte((byte)value.Major);
    }
}
